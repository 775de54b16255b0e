"""
Rows that do not fit
====================

A model of all columns shows which rows contradict themselves: they are errors, or discoveries. Here
ten perimeters are wrong, small ones large and large ones small. Each value by itself is ordinary.
"""

# %%
# Couplings
# ---------
# How strongly the columns depend on each other.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from halfseen import HalfseenImputer, plot
from halfseen.explain import couplings, unusual_rows

X = load_breast_cancer(as_frame=True).data.filter(like="mean")
rng = np.random.default_rng(0)
X = X.mask(rng.random(X.shape) < 0.1)
wrong = rng.choice(len(X), 10, replace=False)
perimeter = X["mean perimeter"]
X.loc[wrong, "mean perimeter"] = perimeter.min() + perimeter.max() - perimeter[wrong]

model = HalfseenImputer(effort="fast", random_state=0).fit(X)
figure, axes = plt.subplots(figsize=(7, 5.5), layout="constrained")
plot.couplings(couplings(model, X), ax=axes)
plt.show()

# %%
# Unusual rows
# ------------
# A score of 3 is three standard deviations above what is usual for rows with as many observed
# entries. Rows with a wrong entry are orange.

found = unusual_rows(model, X, top=5)
order = np.argsort(-found.scores)[:60]
figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
colours = np.where(np.isin(order, wrong), "#bb4a00", "#9bc3dc")
axes.bar(np.arange(len(order)), found.scores[order], color=colours, width=1)
axes.set(xlabel="the 60 most unusual rows", ylabel="score")
plt.show()

# %%
# And the entries that fit worst, beside what the rest of the row predicts:

for row in found.rows:
    entry = row.entries[0]
    print(f"row {row.row}: {entry.column} is {entry.value}, expected about {entry.expected:.3g}")
