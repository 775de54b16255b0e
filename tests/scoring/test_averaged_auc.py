import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from halfseen.scoring import averaged_auc

CLASSES = np.array(["ant", "bee", "cat"])


def draw(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    return CLASSES[rng.integers(0, 3, n_rows)].astype(object), rng.dirichlet(np.ones(3), n_rows)


def test_is_sklearns_on_complete_classes():
    true, score = draw(50)
    expected = roc_auc_score(true.astype(str), score, multi_class="ovr", average="macro")
    assert averaged_auc(true, score, CLASSES) == pytest.approx(expected, abs=1e-15)


def test_is_sklearns_on_two_classes():
    true, score = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.7, 0.3, 0.4, 0.9])
    both = np.column_stack([1 - score, score])
    assert averaged_auc(true, both, [0, 1]) == roc_auc_score(true, score)


def test_order_of_the_list_goes_with_the_columns():
    true, score = draw(50)
    turned = averaged_auc(true, score[:, ::-1], CLASSES[::-1])
    assert turned == pytest.approx(averaged_auc(true, score, CLASSES))
    assert averaged_auc(true, score, CLASSES[::-1]) != pytest.approx(turned)


def test_absent_classes_do_not_enter():
    true, score = draw(50)
    true[true == "bee"] = None
    seen = pd.notna(true)
    areas = [roc_auc_score(true[seen] == CLASSES[k], score[seen, k]) for k in (0, 2)]
    assert averaged_auc(true, score, CLASSES) == pytest.approx(np.mean(areas), abs=1e-15)


def test_one_class_has_no_roc_curve():
    with pytest.raises(ValueError, match="All 2 known rows have the same class"):
        averaged_auc(["ant", "ant", None], np.full((3, 3), 1 / 3), CLASSES)
