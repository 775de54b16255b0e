"""Rubin's rules: one estimate from those of several filled tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student


class Pooled(NamedTuple):
    """Estimates of several filled tables made one; each field is a number, an array or a series."""

    estimate: Any
    standard_error: Any
    dof: Any  # degrees of freedom of the t distribution behind the interval
    lower: Any
    upper: Any
    missing_share: Any  # share of the variance that is due to missing values


def pool(
    estimates: Iterable[Any],
    variances: Iterable[Any] | None = None,
    *,
    complete_dof: float | None = None,
    coverage: float = 0.95,
) -> Pooled:
    """Pool estimates from several filled tables by Rubin's rules.

    The rules are those of [1]_, with degrees of freedom for small tables [2]_.

    Parameters
    ----------
    estimates : iterable
        An estimate from each filled table: a number, an array of numbers, or a fitted model with
        the attributes ``params`` and ``bse``, as statsmodels has them.
    variances : iterable, optional
        The squared standard error of each estimate; not needed of fitted models.
    complete_dof : float, optional
        Degrees of freedom that the analysis of a complete table would have, for instance its rows
        less its parameters. By default ``df_resid`` of fitted models, and else infinity.
    coverage : float, default=0.95
        Probability that an interval holds the true value.

    Returns
    -------
    Pooled
        Estimate, standard error, degrees of freedom, bounds of the interval, and the share of the
        variance that is due to missing values. Series of pandas stay series.

    References
    ----------
    .. [1] D. B. Rubin, Multiple Imputation for Nonresponse in Surveys, Wiley 1987.
    .. [2] J. Barnard and D. B. Rubin, "Small-sample degrees of freedom with multiple imputation",
       Biometrika 86 (1999), 948-955.

    Examples
    --------
    The mean of a column in five filled tables, and its squared standard error:

    >>> import numpy as np
    >>> from halfseen import HalfseenImputer, pool
    >>> x = np.random.default_rng(0).normal(size=(200, 1))
    >>> X = np.hstack([x, x]) + np.random.default_rng(1).normal(size=(200, 2))
    >>> X[::3, 1] = np.nan
    >>> draws = HalfseenImputer(effort="fast", random_state=0).fit(X).impute(X, n_draws=5)
    >>> columns = [draw[:, 1] for draw in draws]
    >>> variances = [c.var() / len(c) for c in columns]
    >>> found = pool([c.mean() for c in columns], variances, complete_dof=199)
    >>> bool(found.lower < found.estimate < found.upper), bool(0 < found.missing_share < 1)
    (True, True)
    """
    parts = list(estimates)
    first = parts[0] if parts else None
    if variances is None:
        if not all(hasattr(part, "params") and hasattr(part, "bse") for part in parts):
            raise ValueError("Pass variances, the squared standard errors, beside the estimates.")
        variances = [np.square(np.asarray(part.bse, np.float64)) for part in parts]
        complete_dof = getattr(first, "df_resid", None) if complete_dof is None else complete_dof
        parts = [part.params for part in parts]
    like = parts[0] if parts else None
    values, squares = _matrix("estimates", parts), _matrix("variances", list(variances))
    if values.shape != squares.shape:
        raise ValueError(
            f"estimates and variances differ in shape: {values.shape} and {squares.shape}."
        )
    if len(values) < 2:
        raise ValueError(f"Rubin's rules need at least two filled tables, got {len(values)}.")
    if (squares < 0).any():
        raise ValueError("variances must not be negative; they are squared standard errors.")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must lie strictly between 0 and 1, got {coverage}.")
    found = _rubin(values, squares, np.inf if complete_dof is None else float(complete_dof))
    reach = student.ppf((1 + coverage) / 2, found[2]) * found[1]
    fields = (*found[:3], found[0] - reach, found[0] + reach, found[3])
    return Pooled(*(_as_given(field, like) for field in fields))


def _matrix(name: str, parts: list[Any]) -> NDArray[np.float64]:
    """One row for each table."""
    found = np.stack([np.asarray(part, np.float64) for part in parts]) if parts else np.zeros(0)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite; one of them is NaN or infinite.")
    return found


def _rubin(values: Any, squares: Any, complete_dof: float) -> tuple[Any, Any, Any, Any]:
    """Estimate, standard error, degrees of freedom and share due to missing values."""
    m = len(values)
    within, added = squares.mean(axis=0), (1 + 1 / m) * values.var(axis=0, ddof=1)
    total = within + added
    share = np.divide(added, total, out=np.zeros_like(total), where=total > 0)
    with np.errstate(divide="ignore"):
        dof = 1 / (share**2 / (m - 1))
        if np.isfinite(complete_dof):
            observed = (complete_dof + 1) / (complete_dof + 3) * complete_dof * (1 - share)
            dof = 1 / (1 / dof + 1 / observed)
    return values.mean(axis=0), np.sqrt(total), dof, share


def _as_given(field: Any, like: Any) -> Any:
    if hasattr(like, "index") and hasattr(like, "to_numpy"):
        return type(like)(field, index=like.index)
    return field if np.ndim(field) else float(field)
