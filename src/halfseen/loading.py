"""Fitted models from files."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

from pydantic import ValidationError

from halfseen.base.estimator import ModelDocument, TableModel
from halfseen.ensemble.estimator import HalfseenClassifier, HalfseenImputer
from halfseen.model_file import ModelFileError, read_model_file
from halfseen.rbm.estimator import RBMClassifier, RBMImputer

_CLASSES: Any = (HalfseenClassifier, HalfseenImputer, RBMClassifier, RBMImputer)
_ESTIMATORS: dict[str, type[TableModel]] = {of.__name__: of for of in _CLASSES}


def load(path: str | PathLike[str]) -> Any:
    """Read a fitted model that its `save` wrote.

    Nothing in the file is executed, and its content is checked against its digest.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelFileError
        The file is absent, damaged, or no model.

    Examples
    --------
    >>> import tempfile
    >>> from halfseen import RBMImputer
    >>> model = RBMImputer(n_iter=1, random_state=0).fit([[0, 1], [1, None], [0, 1], [1, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors")
    RBMImputer(n_iter=1, random_state=0)
    """
    content = read_model_file(path)
    estimator = _ESTIMATORS.get(content.kind)
    if estimator is None:
        remedy = "name a file that the save method of a model wrote"
        problem = f"is a file of kind {content.kind[:40]!r}, not a model"
        raise ModelFileError(f"'{path}' {problem}: {remedy}")
    try:
        document = ModelDocument.model_validate_json(json.dumps(content.document))
        return estimator._from_file(document, content.arrays)
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0][:150]
        problem = f"holds no usable {content.kind} ({reason})"
        raise ModelFileError(f"'{path}' {problem}: save the model again") from error
