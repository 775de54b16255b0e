"""Values of a TOML document, checked one by one, with errors that name file, key and remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

Value = TypeVar("Value")


class PlanError(ValueError):
    """A plan that cannot be followed; the message names the file, the key and what is allowed."""


class PlanValues:
    """One table of a TOML document, of which every key must be known.

    Parameters
    ----------
    values : mapping
        The table.
    source : str
        The file, for messages.
    place : str
        Where in the document the table stands, such as "grid 2"; "" for the whole.

    Examples
    --------
    >>> values = PlanValues({"realisation": 3}, "plan.toml")
    >>> values.only(["realisations", "title"])
    Traceback (most recent call last):
    ...
    halfseen.experiments.plan_values.PlanError: plan.toml: there is no key 'realisation'. Did you
    mean 'realisations'? Keys here are: realisations, title.
    """

    def __init__(self, values: Mapping[str, Any], source: str, place: str = "") -> None:
        self.values = values
        self.source = source
        self.place = place

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, key: str, what: str) -> PlanError:
        """The error to raise for a key."""
        where = f"{self.place}, " if self.place else ""
        return PlanError(f"{self.source}: {where}key {key!r} {what}")

    def only(self, known: Sequence[str]) -> None:
        """Refuse keys that are not known."""
        for key in self.values:
            if key not in known:
                where = f" in {self.place}" if self.place else ""
                raise PlanError(
                    f"{self.source}: there is no key {key!r}{where}.{did_you_mean(key, known)} "
                    f"Keys here are: {', '.join(known)}."
                )

    def needed(self, key: str, what: str) -> Any:
        """A value that must be there."""
        if key not in self.values:
            raise self.error(key, f"is needed: {what}.")
        return self.values[key]

    def text(self, key: str, default: str) -> str:
        """A text."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"must be a text, got {value!r}.")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A text or a list of texts."""
        value = self.values.get(key, list(default))
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.error(key, f"must be a text or a list of texts, got {value!r}.")
        return tuple(value)

    def choices(
        self, key: str, allowed: Sequence[str], default: tuple[str, ...]
    ) -> tuple[str, ...]:
        """A text or a list of texts, each of which is allowed; none twice."""
        chosen = self.texts(key, default)
        for one in chosen:
            if one not in allowed:
                raise self.error(
                    key,
                    f"says {one!r}.{did_you_mean(one, allowed)} Allowed are: {', '.join(allowed)}.",
                )
        if not chosen:
            raise self.error(key, f"is empty. Allowed are: {', '.join(allowed)}.")
        return tuple(dict.fromkeys(chosen))

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        """One text of those allowed."""
        self.text(key, default)
        return self.choices(key, allowed, (default,))[0]

    def whole(self, key: str, default: Value, least: int) -> int | Value:
        """A whole number."""
        value = self.values.get(key, default)
        if value is default:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.error(key, f"must be a whole number of at least {least}, got {value!r}.")
        return value

    def number(self, key: str, default: float, least: float) -> float:
        """A number."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
            raise self.error(key, f"must be a number of at least {least:g}, got {value!r}.")
        return float(value)

    def rate(self, key: str, value: Any) -> float:
        """A share from 0 to 1."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            hint = (
                f" For {value} % write {value / 100:g}."
                if isinstance(value, int | float) and 1 < value <= 100
                else ""
            )
            raise self.error(key, f"holds {value!r}; rates are shares from 0 to 1.{hint}")
        return float(value)

    def many(self, key: str, check: Callable[[str, Any], Value]) -> tuple[Value, ...]:
        """A list whose members are checked one by one."""
        value = self.needed(key, "a list")
        if not isinstance(value, list) or not value:
            raise self.error(key, f"must be a list with something in it, got {value!r}.")
        return tuple(check(key, one) for one in value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest word as a question with a space before it, or nothing.

    Examples
    --------
    >>> did_you_mean("halfsen", ["halfseen", "mc1"])
    " Did you mean 'halfseen'?"
    >>> did_you_mean("x", ["halfseen"])
    ''
    """
    near = get_close_matches(str(word), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
