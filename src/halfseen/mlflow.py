"""Models of halfseen in MLflow: saved as their model file, without pickle.

A saved model has the flavours ``halfseen`` and ``python_function``, so that ``mlflow models serve``
answers for it. Null and absent columns are missing. Predictions are a data frame: a column for the
decision of each target and one for the probability of each class; of an imputer, the filled table.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfseen._version import __version__
from halfseen.base.estimator import TableModel
from halfseen.data.frames import align
from halfseen.data.raw import category_key
from halfseen.loading import load

if TYPE_CHECKING:
    import pandas as pd

FLAVOR_NAME = "halfseen"
_FILE = "model.safetensors"


def save_model(model: TableModel, path: str, *, mlflow_model: Any = None, **options: Any) -> None:
    """Save a fitted model as an MLflow model in a folder.

    Parameters
    ----------
    model : HalfseenClassifier, HalfseenImputer, RBMClassifier or RBMImputer
        A fitted model.
    path : str
        Folder to be made.
    mlflow_model : mlflow.models.Model, optional
        What MLflow knows of the model so far.
    **options
        Further arguments of `mlflow.pyfunc.save_model`, such as ``metadata``. By default the
        signature is that of the training table, every column optional, and the requirement is this
        version of halfseen.
    """
    mlflow = _mlflow()
    described = mlflow.models.Model() if mlflow_model is None else mlflow_model
    described.add_flavor(FLAVOR_NAME, halfseen_version=__version__, data=_FILE)
    options.setdefault("signature", signature(model))
    if not {"pip_requirements", "conda_env"} & set(options):
        options["pip_requirements"] = [f"halfseen[mlflow]=={__version__}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _FILE
        model.save(file)
        mlflow.pyfunc.save_model(
            path, loader_module="halfseen.mlflow", data_path=str(file), mlflow_model=described,
            **options,
        )  # fmt: skip


def log_model(model: TableModel, name: str = "model", **options: Any) -> Any:
    """Log a fitted model to the present run of MLflow; see `save_model`.

    Parameters
    ----------
    model : HalfseenClassifier, HalfseenImputer, RBMClassifier or RBMImputer
        A fitted model.
    name : str, default="model"
        Its name in the run.
    **options
        Further arguments of `mlflow.models.Model.log` or `save_model`, such as
        ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    log = _mlflow().models.Model.log
    return log(artifact_path=None, name=name, flavor=sys.modules[__name__], model=model, **options)


def load_model(model_uri: str) -> Any:
    """The fitted model of a folder, a run or a registry, as `halfseen.load` gives it.

    Parameters
    ----------
    model_uri : str
        Address of an MLflow model, such as ``models:/devices/3`` or a folder.

    Returns
    -------
    estimator
        The fitted model.
    """
    mlflow = _mlflow()
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=model_uri))
    flavors = mlflow.models.Model.load(str(folder)).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(f"'{model_uri}' was not saved by halfseen.mlflow; use mlflow.pyfunc.")
    return load(folder / "data" / Path(flavors[FLAVOR_NAME]["data"]).name)


def signature(model: TableModel) -> Any:
    """Columns of the training table, all optional, as MLflow describes them."""
    mlflow = _mlflow()
    columns = [
        mlflow.types.ColSpec(_type(column), str(column.name), required=False)
        for column in model.schema_.features
    ]
    return mlflow.models.ModelSignature(inputs=mlflow.types.Schema(columns))


def _type(column: Any) -> str:
    """MLflow's integers hold no missing value, so that all numbers are double."""
    kinds = {type(value) for value in column.categories}
    if column.type == "ignored" or str in kinds:
        return "string"
    return "boolean" if kinds == {bool} else "double"


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.pyfunc
        import mlflow.types
        import pandas as _  # noqa: F401
    except ModuleNotFoundError as absent:
        if absent.name not in ("mlflow", "pandas"):
            raise
        raise ModuleNotFoundError(
            f"MLflow models need {absent.name}: pip install 'halfseen[mlflow]'", name=absent.name
        ) from absent
    return mlflow


class Predictor:
    """What `mlflow.pyfunc` asks: a data frame in, a data frame out."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, X: Any, params: Any = None) -> pd.DataFrame:
        """Decisions and probabilities of each row, or the filled table of an imputer."""
        import pandas as pd

        X, model = self._aligned(X), self.model
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*taken as missing")
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            if not model.schema_.targets:
                return pd.DataFrame(model.transform(X))
            units = model._complete_units(model._encode(X)[1])
        proba = model._target_probabilities(units)
        columns: dict[str, Any] = {}
        targets = model.schema_.targets
        for target, decided, p in zip(targets, model._decide(proba), proba, strict=True):
            alone = len(targets) == 1 and not isinstance(target.name, str)
            name = "target" if alone else str(target.name)
            columns[name] = decided
            columns |= {
                f"{name}={category_key(c)}": p[:, k] for k, c in enumerate(target.categories)
            }
        return pd.DataFrame(columns)

    def _aligned(self, X: Any) -> Any:
        """A data frame of the columns of the training table; absent ones are missing."""
        schema = self.model.schema_
        if not hasattr(X, "columns"):
            return X
        if not schema.has_feature_names:
            return X.to_numpy()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*taken as missing")
            # Columns without a value come as objects of any kind.
            return align(X, [column.name for column in schema.features])


def _load_pyfunc(path: str) -> Predictor:
    """What the loader of MLflow calls with the path of the model file."""
    return Predictor(load(path))
