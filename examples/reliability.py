"""
Does 80 % mean 80 %?
====================

A probability is calibrated if it comes true as often as it says. Half of the features of new rows
are missing here, which is where many models become too sure.
"""

# %%
# Fit
# ---

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier

from halfseen import HalfseenClassifier, plot
from halfseen.metrics import calibration_error, reliability_bins

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
X = np.where(rng.random(X.shape) < 0.5, np.nan, X)
is_even = (y % 2 == 0).astype(float)
old, new = slice(600), slice(600, None)
models = {
    "halfseen": HalfseenClassifier(effort="fast", random_state=0).fit(X[old], is_even[old]),
    "gradient boosting": HistGradientBoostingClassifier(random_state=0).fit(X[old], is_even[old]),
}

# %%
# Look
# ----
# Points on the diagonal are right as often as they say. Bars are 95 % confidence intervals, and the
# numbers on top count the rows.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for (name, model), ax in zip(models.items(), axes, strict=True):
    probability = model.predict_proba(X[new])[:, 1]
    plot.reliability(reliability_bins(is_even[new], probability), ax=ax)
    error = calibration_error(is_even[new], probability)
    ax.set_title(f"{name}: calibration error {error:.3f}", fontsize=11, pad=20)
plt.show()
