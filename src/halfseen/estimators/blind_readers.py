"""Candidates for targets that read features alone: trees, and Gaussians of the classes."""

from __future__ import annotations

from dataclasses import dataclass

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
    def _reads_completed(self) -> bool:
        return self.forest is not None or self.boosted is not None

    def shares(
        self,
        ensemble: Ensemble,
        answers: Answers,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> list[NDArray[np.float64]]:
        """Probabilities of the target units by each, of shape (n_rows, n_target_units).

        From what all members said of the rows, or those of one fold, whose prior completes them.
        """
        said, completed = [], None
        if self._reads_completed:
            completed = ensemble.completed_by_priors(answers, visible, observed)
        if self.forest is not None and completed is not None:
            said.append(self.forest.shares(completed))
        return said + self._of_classes(ensemble, completed, visible, observed)

    def shares_of_fold(
        self,
        fold: int,
        ensemble: Ensemble,
        answers: Answers,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> list[NDArray[np.float64]]:
        """The same by the trees of one fold, from what its members said."""
        said, completed = [], None
        if self._reads_completed:
            completed = ensemble.completed_by_priors(answers, visible, observed)
        if self.forest is not None and completed is not None:
            said.append(self.forest.shares_of_fold(fold, completed[0]))
        return said + self._of_classes(ensemble, completed, visible, observed)

    def _of_classes(
        self,
        ensemble: Ensemble,
        completed: NDArray[np.float32] | None,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> list[NDArray[np.float64]]:
        """By those that know the classes of one target only."""
        target, said = only_target(ensemble), []
        if target is None:
            return []
        if self.gaussians is not None:
            values = ensemble.in_standard_units(visible)[:, target.is_feature]
            said.append(self.gaussians.probabilities(values, observed[:, target.is_feature]))
        if self.boosted is not None and completed is not None:
            said.append(self.boosted.probabilities(completed[0]))
        return [target.of_units(probabilities) for probabilities in said]
