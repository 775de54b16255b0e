"""
Rows that do not fit
====================

The model knows what goes together. A row whose entries do not is an error, or a discovery. Here
single entries of ten rows are swapped with those of others, so that each value by itself is
ordinary.
"""

# %%
# Couplings
# ---------
# How strongly the columns depend on each other.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from halfseen import HalfseenImputer, plot
from halfseen.explain import couplings, unusual_rows

X, _ = load_wine(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
X = X.mask(rng.random(X.shape) < 0.1)
wrong = rng.choice(len(X), 10, replace=False)
X.loc[wrong, "flavanoids"] = X["flavanoids"].max() + 0.3 - X.loc[wrong, "flavanoids"].to_numpy()

model = HalfseenImputer(effort="fast", random_state=0).fit(X)
figure, axes = plt.subplots(figsize=(7, 5.5), layout="constrained")
plot.couplings(couplings(model, X), ax=axes)
plt.show()

# %%
# Unusual rows
# ------------
# A score of 3 is three standard deviations above what is usual for rows with as many observed
# entries. Rows that were tampered with are orange.

found = unusual_rows(model, X, top=5)
order = np.argsort(-found.scores)
figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
colours = np.where(np.isin(order, wrong), "#bb4a00", "#9bc3dc")
axes.bar(np.arange(len(order)), found.scores[order], color=colours, width=1)
axes.set(xlabel="rows, the most unusual first", ylabel="score")
plt.show()

# %%
# And the entries that fit worst, beside what the rest of the row predicts:

for row in found.rows:
    entry = row.entries[0]
    print(f"row {row.row}: {entry.column} is {entry.value}, expected about {entry.expected:.3g}")
