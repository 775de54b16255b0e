"""
Standard errors that admit missing values
=========================================

A filled table looks complete, but its missing values were guessed. Statistics of it pretend to more
data than there are. Draw several tables, analyse each, and pool the results by Rubin's rules.
"""

# %%
# A slope
# -------
# How much does the disease progress with the body mass index, other things equal? Half of the index
# is missing. The analysis is least squares; it gives a slope and its squared standard error.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from halfseen import HalfseenImputer, pool

table = load_diabetes(as_frame=True).frame[["bmi", "bp", "s5", "target"]]
missing = np.random.default_rng(0).random(len(table)) < 0.5
incomplete = table.assign(bmi=table["bmi"].mask(missing))


def slope_of(table):
    """The slope of `bmi`, and its squared standard error."""
    X = np.column_stack([np.ones(len(table)), table[["bmi", "bp", "s5"]]])
    y = table["target"].to_numpy()
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    variance = ((y - X @ beta) ** 2).sum() / (len(y) - 4)
    return beta[1], variance * np.linalg.inv(X.T @ X)[1, 1]


# %%
# Draw, analyse, pool
# -------------------

model = HalfseenImputer(effort="fast", random_state=0).fit(incomplete)
draws = model.impute(incomplete, n_draws=20, random_state=0)
slopes, variances = zip(*map(slope_of, draws), strict=True)
pooled = pool(slopes, variances, complete_dof=len(table) - 4)
print(f"{pooled.estimate:.0f}, between {pooled.lower:.0f} and {pooled.upper:.0f}")
print(f"{pooled.missing_share:.0%} of the variance is due to missing values")

# %%
# What others would say
# ---------------------
# Complete rows waste data. One table of expectations is worse: its fills lie where the other
# columns say, without scatter, so the slope is wrong and its interval too narrow. (The
# target helps to fill the index, as it should. Only draws may be analysed then.)

rows = {
    "all values (not available)": slope_of(table),
    "complete rows only": slope_of(incomplete.dropna()),
    "one filled table": slope_of(model.transform(incomplete)),
}
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
for place, (slope, variance) in enumerate(rows.values()):
    axes.errorbar(slope, place, xerr=1.96 * variance**0.5, fmt="o", color="#59626b", capsize=3)
reach = [[pooled.estimate - pooled.lower], [pooled.upper - pooled.estimate]]
axes.errorbar(pooled.estimate, 3, xerr=reach, fmt="o", color="#0067a3", capsize=3)
axes.plot(slopes, np.full(20, 3.25), ".", color="#9bc3dc", ms=4)
axes.set_yticks(range(4), [*rows, "20 draws, pooled"])
axes.set(xlabel="slope of the body mass index, with 95 % intervals", ylim=(3.6, -0.5))
plt.show()
