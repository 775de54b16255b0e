"""Numbers as a reader wants to see them."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
_NO_BREAK = "\N{NO-BREAK SPACE}"


def number_text(value: float, digits: int = 3) -> str:
    """A number with a few significant digits, whole numbers in full.

    Parameters
    ----------
    value : float
        Any number; a whole one is shown whole up to 15 digits.
    digits : int, default=3
        Significant digits.

    Returns
    -------
    str
        With a comma between thousands and a true minus sign; a dash for NaN.

    Examples
    --------
    >>> number_text(0.123456), number_text(12345), number_text(1234.5), number_text(2e-9)
    ('0.123', '12,345', '1,234', '2.00e−9')
    >>> number_text(-0.5), number_text(float("nan"))
    ('−0.500', '–')
    """
    value = float(value)
    if math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else f"{MINUS}\N{INFINITY}"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", MINUS)
    size = math.floor(math.log10(abs(value)))
    if not -4 <= size < 15:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(power)}".replace("-", MINUS)
    return f"{value:,.{max(0, digits - 1 - size)}f}".replace("-", MINUS)


def measured_text(value: float, digits: int = 3) -> str:
    """A measured number, whose digits are kept even where they are zero.

    Examples
    --------
    >>> measured_text(1.0), measured_text(24.0), measured_text(0.0), measured_text(1234.0)
    ('1.00', '24.0', '0', '1,234')
    """
    value = float(value)
    if not math.isfinite(value) or value == 0 or not value.is_integer():
        return number_text(value, digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}".replace("-", MINUS) if decimals else number_text(value)


def percent_text(share: float) -> str:
    r"""A share of one as a percentage, with a digit after the point below ten.

    Examples
    --------
    >>> percent_text(0.5), percent_text(0.034), percent_text(0.0), percent_text(0.0002)
    ('50\xa0%', '3.4\xa0%', '0\xa0%', '<0.1\xa0%')
    """
    percent = 100.0 * float(share)
    if math.isnan(percent):
        return "\N{EN DASH}"
    if percent == 0.0 or percent >= 9.95:
        return f"{percent:.0f}{_NO_BREAK}%"
    return f"{percent:.1f}{_NO_BREAK}%" if percent >= 0.05 else f"<0.1{_NO_BREAK}%"
