"""Candidates that read features alone: trees for targets, and Gaussians of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.boosted_trees import BoostedTrees
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.forest import Forest
from halfseen.estimators.only_target import only_target
from halfseen.machine.class_gaussians import ClassGaussians

FOREST = "forest"
GAUSSIANS = "class Gaussians"
BOOSTED = "boosted trees"


class BlindSaid(NamedTuple):
    """What they say of some rows."""

    targets: list[NDArray[np.float64]]  # of each (n_rows, n_target_units), probabilities
    of_classes: NDArray[np.float64] | None  # (n_rows, n_classes), by the Gaussians if there are any


@dataclass(frozen=True)
class BlindReaders:
    """Who is pooled with the members and the prior; None for whom there is not."""

    forest: Forest | None = None
    gaussians: ClassGaussians | None = None
    boosted: BoostedTrees | None = None

    @property
    def names(self) -> list[str]:
        """Those that are there, in the order in which they speak."""
        there = (FOREST, self.forest), (GAUSSIANS, self.gaussians), (BOOSTED, self.boosted)
        return [name for name, one in there if one is not None]

    @property
    def n_of_classes(self) -> int:
        """Those, the last ones, that know the classes of one target only."""
        return (self.gaussians is not None) + (self.boosted is not None)

    @property
    def n_of_numbers(self) -> int:
        """Those that have a say in numbers."""
        return int(self.gaussians is not None)

    @property
    def _reads_completed(self) -> bool:
        return self.forest is not None or self.boosted is not None

    def said(
        self,
        ensemble: Ensemble,
        answers: Answers,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> BlindSaid:
        """Probabilities of the target units by each.

        From what all members said of the rows, or those of one fold, whose prior completes them.
        """
        completed = self._completed(ensemble, answers, visible, observed)
        of_forest = []
        if self.forest is not None and completed is not None:
            of_forest.append(self.forest.shares(completed))
        return self._with_those_of_classes(of_forest, ensemble, completed, visible, observed)

    def said_of_fold(
        self,
        fold: int,
        ensemble: Ensemble,
        answers: Answers,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> BlindSaid:
        """The same by the trees of one fold, from what its members said."""
        completed = self._completed(ensemble, answers, visible, observed)
        of_forest = []
        if self.forest is not None and completed is not None:
            of_forest.append(self.forest.shares_of_fold(fold, completed[0]))
        return self._with_those_of_classes(of_forest, ensemble, completed, visible, observed)

    def numbers(
        self,
        ensemble: Ensemble,
        said: BlindSaid,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """What is expected of numbers, of shape (n_of_numbers, n_rows, n_gaussian).

        By the Gaussians, under their own probabilities of the classes, or the class that is known.
        """
        target, n_gaussian = only_target(ensemble), ensemble.shape.columns.wide.layer.n_gaussian
        if target is None or self.gaussians is None or said.of_classes is None:
            return np.zeros((0, len(visible), n_gaussian))
        likely, known = said.of_classes.copy(), np.flatnonzero(observed[:, target.units[0]])
        likely[known] = np.eye(target.n_classes)[target.codes(visible[known])]
        values = ensemble.in_standard_units(visible)[:, target.is_feature]
        expected = self.gaussians.expected(values, observed[:, target.is_feature], likely)
        return expected[None, :, :n_gaussian]

    def _completed(
        self,
        ensemble: Ensemble,
        answers: Answers,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> NDArray[np.float32] | None:
        if not self._reads_completed:
            return None
        return ensemble.completed_by_priors(answers, visible, observed)

    def _with_those_of_classes(
        self,
        of_forest: list[NDArray[np.float64]],
        ensemble: Ensemble,
        completed: NDArray[np.float32] | None,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> BlindSaid:
        """By the forest, and by those that know the classes of one target only."""
        target, said, of_gaussians = only_target(ensemble), [], None
        if target is None:
            return BlindSaid(of_forest, None)
        if self.gaussians is not None:
            values = ensemble.in_standard_units(visible)[:, target.is_feature]
            seen = observed[:, target.is_feature]
            of_gaussians = self.gaussians.probabilities(values, seen)
            said.append(of_gaussians)
        if self.boosted is not None and completed is not None:
            said.append(self.boosted.probabilities(completed[0]))
        of_targets = [target.of_units(probabilities) for probabilities in said]
        return BlindSaid(of_forest + of_targets, of_gaussians)
