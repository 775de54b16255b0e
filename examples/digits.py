"""
Digits of which half is missing
===============================

Half of the pixels of handwritten digits, and half of their labels, are hidden at random. One model
is fitted to what is left. It predicts the labels of new digits, fills their pixels, and says how
sure it is of both.
"""

# %%
# The table
# ---------
# Missing is NaN, in the features and in the target alike. Rows without a label help as well: the
# model learns the joint distribution of pixels and labels.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from halfseen import HalfseenClassifier
from halfseen.metrics import accuracy, interval_coverage, rmse

pixels, labels = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
X = np.where(rng.random(pixels.shape) < 0.5, np.nan, pixels)
y = np.where(rng.random(labels.shape) < 0.5, np.nan, labels)
new = slice(1500, None)

# %%
# Fit and predict
# ---------------

model = HalfseenClassifier(random_state=0).fit(X[:1500], y[:1500])
print(f"accuracy on new digits: {accuracy(labels[new], model.predict(X[new])):.3f}")

# %%
# Fill
# ----
# A missing pixel is replaced by its expectation given the observed ones; observed pixels stay as
# they are.

filled = model.transform(X[new])
hidden = np.isnan(X[new])
print(f"RMSE of hidden pixels, from 0 to 16: {rmse(pixels[new], filled, hidden):.2f}")

# %%
# How sure?
# ---------
# Prediction sets and intervals are calibrated on held-out entries: they hold the truth as often as
# asked, here nine times out of ten.

sets = model.predict_set(X[new], 0.9)
print(f"classes in a prediction set: {sets.sum(axis=1).mean():.2f}")
lower, upper = np.moveaxis(model.predict_interval(X[new], 0.9), -1, 0)
coverage = interval_coverage(pixels[new], lower, upper, hidden & ~np.isnan(lower))
print(f"hidden pixels within their intervals: {coverage:.1%}")

# %%
# Look
# ----
# From top to bottom: complete digits, what the model sees of them, and what it makes of it.

figure, axes = plt.subplots(3, 10, figsize=(10, 3.2))
for row, images in zip(axes, (pixels[new], X[new], filled), strict=True):
    for cell, image in zip(row, images, strict=False):
        cell.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        cell.set_facecolor("bisque")  # where pixels are missing
        cell.set(xticks=[], yticks=[])
plt.show()
