"""
Where values are missing
========================

Before a model is fitted, look at the table: which columns miss values, where, and whether they go
missing together. The measurements of wines get three kinds of missing values here.
"""

# %%
# A table with three kinds of missing values
# ------------------------------------------
# Ten percent of everything is missing at random. Two columns come from one instrument, which was
# switched off for a while. And `proline` was measured less often where `alcohol` is low.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from halfseen import plot
from halfseen.inspect import inspect_table

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.sample(frac=1, random_state=0).reset_index(drop=True)
rng = np.random.default_rng(0)
complete = X.copy()
X = X.mask(rng.random(X.shape) < 0.1)
X.loc[60:110, ["hue", "color_intensity"]] = np.nan
X["proline"] = X["proline"].mask((complete["alcohol"] < 12.6) & (rng.random(len(X)) < 0.8))

# %%
# Look
# ----
# Each column is a strip, from the first row to the last. The switched-off instrument is a block.

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
plot.missingness(X, ax=axes)
plt.show()

# %%
# Ask
# ---
# `inspect_table` compares rows in which a column is missing with rows in which it is observed, and
# says what it found. The same is printed by ``halfseen inspect FILE``.

found = inspect_table(X)
print(found.randomness.verdict)
for finding in found.findings[:5]:
    print("-", finding.sentence)
