"""
The paper's machine
===================

`RBMClassifier` is RBM-MO: one restricted Boltzmann machine over pixels and labels, trained by
Lossy-CD on digits of which half is missing.
"""

# %%
# Train
# -----

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from halfseen import RBMClassifier, plot

pixels, digits = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
X = np.where(rng.random(pixels.shape) < 0.5, np.nan, pixels)
y = np.where(rng.random(len(digits)) < 0.5, np.nan, digits)
model = RBMClassifier(early_stopping=True, n_iter=60, feature_types="numeric", random_state=0).fit(
    X[:1500], y[:1500]
)
print(f"accuracy on new rows: {model.score(X[1500:], digits[1500:]):.3f}")
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
plot.history(model, ax=axes)
plt.show()

# %%
# What hidden units respond to
# ----------------------------
# The weights of a hidden unit are an image: blue pixels switch it on, orange ones off.

weights = np.asarray(model.rbm_.weights)[0][:64].T  # (hidden units, pixels), of the one machine
strongest = np.argsort(-np.abs(weights).sum(axis=1))[:24]
figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for unit, ax in zip(strongest, axes.flat, strict=True):
    largest = np.abs(weights[unit]).max()
    ax.imshow(weights[unit].reshape(8, 8), cmap="PuOr", vmin=-largest, vmax=largest)
    ax.set_axis_off()
plt.show()

# %%
# Restore
# -------
# Mean-field equations with the observed pixels clamped, averaged over ten starts.

shown = slice(1500, 1508)
blocks = {"complete": pixels[shown], "seen": X[shown], "restored": model.transform(X[shown])}
figure, axes = plt.subplots(3, 8, figsize=(9, 3.8), layout="constrained")
grey = plt.get_cmap("gray_r").with_extremes(bad="#ffe0b2")
for (title, images), row in zip(blocks.items(), axes, strict=True):
    for image, ax in zip(images.reshape(-1, 8, 8), row, strict=True):
        ax.imshow(image, cmap=grey, vmin=0, vmax=16)
        ax.set_xticks([])
        ax.set_yticks([])
    row[0].set_ylabel(title)
plt.show()
