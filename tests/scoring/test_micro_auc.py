import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from halfseen.scoring import micro_auc


@pytest.mark.parametrize("shape", [(40,), (40, 1), (40, 5)])
@pytest.mark.parametrize("decimals", [1, 8])
def test_is_sklearns_on_complete_labels(shape, decimals):
    rng = np.random.default_rng(0)
    true, score = rng.integers(0, 2, shape), rng.random(shape).round(decimals)
    assert micro_auc(true, score) == roc_auc_score(true.ravel(), score.ravel())
    if shape == (40, 5):
        assert micro_auc(true, score) == pytest.approx(roc_auc_score(true, score, average="micro"))


def test_is_sklearns_on_the_pooled_known_labels():
    rng = np.random.default_rng(1)
    true, score = rng.integers(0, 2, (30, 4)).astype(float), rng.normal(size=(30, 4))
    seen = rng.random((30, 4)) < 0.5
    expected = roc_auc_score(true[seen], score[seen])
    true[~seen] = np.nan
    assert micro_auc(true, score) == expected


@pytest.mark.parametrize("value", [0, 1])
def test_one_value_has_no_roc_curve(value):
    with pytest.raises(ValueError, match=f"All 2 known labels are {value}"):
        micro_auc([[value, np.nan], [value, np.nan]], np.ones((2, 2)))
