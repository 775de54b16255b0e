"""
Why this prediction?
====================

Which observed entries moved the prediction of a row, and which columns the model rests on overall.
"""

# %%
# A model of incomplete rows
# --------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from halfseen import HalfseenClassifier, plot
from halfseen.explain import explain_rows, importance

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X = X.filter(like="mean")
X = X.mask(np.random.default_rng(0).random(X.shape) < 0.6)
model = HalfseenClassifier(effort="fast", random_state=0).fit(X[:400], y[:400])

# %%
# One row
# -------
# Each observed entry is made missing in turn, and the row is predicted again. The bar is the
# change in log-odds. Entries that say the same stand in for each other, so bars do not add up.

new = X[400:].reset_index(drop=True)
explained = explain_rows(model, new, rows=[4], columns="target").predictions[0]
print(f"{explained.event}: probability {explained.probability:.2f}")
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot.effects(explained, top=8, ax=axes)
plt.show()

# %%
# All rows
# --------
# How much the log-loss of the diagnosis grows when a feature is hidden.

found = importance(model, new, y[400:].reset_index(drop=True))
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot.importance(found, top=8, ax=axes)
plt.show()
