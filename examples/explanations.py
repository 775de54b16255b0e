"""
Why this prediction?
====================

Which observed entries moved the prediction of a row, and which columns the model rests on overall.
"""

# %%
# A model of incomplete rows
# --------------------------
# Wines of three cultivars, with two fifths of the measurements missing.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from halfseen import HalfseenClassifier, plot
from halfseen.explain import explain_rows, importance

X, y = load_wine(return_X_y=True, as_frame=True)
y = y.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
rng = np.random.default_rng(0)
X = X.mask(rng.random(X.shape) < 0.4)
new = rng.random(len(X)) < 0.3
model = HalfseenClassifier(effort="fast", random_state=0).fit(X[~new], y[~new])

# %%
# One row
# -------
# Each observed entry is made missing in turn, and the row is predicted again. The bar is the
# change in log-odds. Entries that say the same stand in for each other, so bars do not add up.

X_new, y_new = X[new].reset_index(drop=True), y[new].reset_index(drop=True)
explained = explain_rows(model, X_new, rows=[0], columns="target").predictions[0]
print(f"{explained.event}: probability {explained.probability:.2f}")
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot.effects(explained, top=8, ax=axes)
plt.show()

# %%
# All rows
# --------
# How much the log-loss of the cultivar grows when a feature is hidden.

found = importance(model, X_new, y_new)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot.importance(found, top=8, ax=axes)
plt.show()
