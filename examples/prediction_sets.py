"""
Name one, or abstain
====================

A prediction set holds the classes that are possible. It holds the truth as often as asked, class by
class. If it has more than one class, the model abstains. The price of a higher coverage is that it
abstains more often.
"""

# %%
# Digits with most pixels missing
# -------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from halfseen import HalfseenClassifier, plot
from halfseen.experiments.scores import label_scores
from halfseen.metrics import set_coverage

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
X = np.where(rng.random(X.shape) < 0.6, np.nan, X)
model = HalfseenClassifier(effort="fast", random_state=0).fit(X[:1200], y[:1200])
X_new, y_new = X[1200:], y[1200:]

# %%
# Asked and found
# ---------------
# The most probable class is always in the set. So sets never hold the truth less often than the
# model is right, and small coverages cannot be reached.

asked = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
sets = [model.predict_set(X_new, coverage=share) for share in asked]
found = [set_coverage(y_new, one, classes=model.classes_) for one in sets]
abstains = [(one.sum(axis=1) > 1).mean() for one in sets]

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
axes[0].plot(asked, asked, color="#59626b", linewidth=1)
axes[0].plot(asked, found, "o-", color="#0067a3")
axes[0].set(xlabel="coverage asked for", ylabel="share of sets that hold the truth")
axes[1].plot(asked, abstains, "o-", color="#bb4a00")
axes[1].set(xlabel="coverage asked for", ylabel="share of rows where it abstains", ylim=(0, 1))
plt.show()

# %%
# Class by class
# --------------
# Each digit has its own threshold, so that easy and hard ones are covered alike. The lines are 95 %
# confidence intervals. Thresholds rest on a dozen validation entries of each digit here, so
# coverage varies around what was asked.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
plot.coverage(label_scores(model, X_new, y_new, 0.9), asked=0.9, ax=axes)
plt.show()
