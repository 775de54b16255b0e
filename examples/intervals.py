"""
Between which bounds?
=====================

Missing numbers come with intervals. They are wider where the rest of the row says little.
"""

# %%
# Fill, with bounds
# -----------------
# Measurements of tumours: a fifth of all entries is missing.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from halfseen import HalfseenImputer
from halfseen.metrics import interval_coverage

truth, _ = load_breast_cancer(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
X = truth.mask(rng.random(truth.shape) < 0.2)
model = HalfseenImputer(effort="fast", random_state=0).fit(X)
filled = model.transform(X)
bounds = model.predict_interval(X, coverage=0.9)
inside = interval_coverage(truth, bounds[..., 0], bounds[..., 1], X.isna().to_numpy())
print(f"{inside:.1%} of the 90 % intervals hold the truth")

# %%
# Two columns
# -----------
# `mean area` follows from other columns, so its intervals are narrow. `mean symmetry` does not.
# Missing entries stand in the order of their fills.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, ax in zip(("mean area", "mean symmetry"), axes, strict=True):
    column = X.columns.get_loc(name)
    missing = np.flatnonzero(X[name].isna())
    missing = missing[np.argsort(filled[name].to_numpy()[missing])]
    place, (low, high) = np.arange(len(missing)), bounds[missing, column].T
    ax.vlines(place, low, high, color="#9bc3dc", linewidth=2, label="90 % interval")
    ax.plot(place, filled[name].to_numpy()[missing], ".", color="#0067a3", label="fill")
    ax.plot(place, truth[name].to_numpy()[missing], "x", color="#bb4a00", ms=4, label="truth")
    ax.set(title=name, xlabel="missing entries")
axes[0].legend(frameon=False)
plt.show()
