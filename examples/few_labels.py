"""
Few labels are known
====================

Rows without a label still tell how the features depend on each other. A joint model learns from
them; a classifier throws them away. Here 30 % of the features are missing, and fewer and fewer
labels are known.
"""

# %%
# The experiment
# --------------
# Both methods are fitted to the same 400 rows, and scored on the same 169 new ones, over five
# masks. Gradient boosting takes missing features as they are, but needs a label in each row.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier

from halfseen import HalfseenClassifier
from halfseen.metrics import log_loss

X, truth = load_breast_cancer(return_X_y=True)
truth = truth.astype(float)
shares = (0.05, 0.1, 0.25, 0.5)
scores = {"gradient boosting": [], "halfseen": []}
for share in shares:
    of_share = {name: [] for name in scores}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        seen = np.where(rng.random(X.shape) < 0.3, np.nan, X)
        order = rng.permutation(len(X))
        old, new = order[:400], order[400:]
        y = np.where(rng.random(len(X)) < share, truth, np.nan)
        known = old[~np.isnan(y[old])]
        boosting = HistGradientBoostingClassifier(random_state=0).fit(seen[known], truth[known])
        halfseen = HalfseenClassifier(effort="fast", random_state=0).fit(seen[old], y[old])
        for name, model in (("gradient boosting", boosting), ("halfseen", halfseen)):
            proba = model.predict_proba(seen[new])
            of_share[name].append(log_loss(truth[new], proba, classes=[0.0, 1.0]))
    for name, losses in of_share.items():
        scores[name].append(losses)

# %%
# What comes of it
# ----------------
# Log-loss judges probabilities; lower is better. Dots are single masks, lines their means.

figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
for (name, losses), colour in zip(scores.items(), ("#bb4a00", "#0067a3"), strict=True):
    axes.plot(shares, np.mean(losses, axis=1), color=colour, label=name)
    axes.plot(shares, losses, ".", color=colour, alpha=0.5)
axes.set_xscale("log")
axes.set_xticks(shares, [f"{share:.0%}" for share in shares])
axes.minorticks_off()
axes.set(xlabel="share of the labels that is known", ylabel="log-loss of new rows", ylim=0)
axes.legend(frameon=False)
plt.show()
