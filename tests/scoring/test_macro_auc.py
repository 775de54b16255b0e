import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from halfseen.scoring import macro_auc


def test_is_sklearns_on_complete_labels():
    rng = np.random.default_rng(0)
    true, score = rng.integers(0, 2, (40, 5)), rng.random((40, 5)).round(1)
    assert macro_auc(true, score) == roc_auc_score(true, score, average="macro")
    assert macro_auc(true[:, 0], score[:, 0]) == roc_auc_score(true[:, 0], score[:, 0])


def test_every_label_on_its_own_known_rows():
    rng = np.random.default_rng(1)
    true, score = rng.integers(0, 2, (40, 3)).astype(float), rng.random((40, 3))
    true[rng.random((40, 3)) < 0.5] = np.nan
    true[:, 1] = np.where(np.isnan(true[:, 1]), np.nan, 1.0)
    areas = []
    for column in (0, 2):
        seen = ~np.isnan(true[:, column])
        areas.append(roc_auc_score(true[seen, column], score[seen, column]))
    assert macro_auc(true, score) == np.mean(areas)


def test_no_label_with_both_values():
    with pytest.raises(ValueError, match="None of the 2 labels has both"):
        macro_auc([[1, 0], [1, np.nan]], np.zeros((2, 2)))
