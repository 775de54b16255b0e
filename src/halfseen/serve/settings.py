"""Limits of the service, who may ask it, and the error that every refusal is."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

from annotated_types import MinLen
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
)


class Settings(BaseModel):
    """What a service accepts. The defaults are for one machine and one person.

    Parameters
    ----------
    host : str, default="127.0.0.1"
        Address that the service is bound to. Another than of this machine needs a token.
    token : str or None, default=None
        Secret that a request must carry as ``Authorization: Bearer TOKEN``.
    allow_hosts : tuple of str, default=()
        Further names by which the service may be addressed.
    max_body : int, default=16 MiB
        Bytes of a request; four times as many may be under way together.
    max_rows : int, default=20,000
        Rows of a request.
    max_rows_slow : int, default=64
        Rows of a request that explains or looks for unusual rows.
    max_requests : int, default=64
        Requests under way.
    timeout : float, default=30
        Seconds that a request may take.
    reload_seconds : float, default=2
        Time between two looks at the model files; 0 never looks again.

    Examples
    --------
    >>> Settings(host="0.0.0.0")
    Traceback (most recent call last):
    ...
    pydantic_core._pydantic_core.ValidationError: ...
    >>> Settings(host="0.0.0.0", token="a long secret, please").is_local
    False
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = "127.0.0.1"
    token: Annotated[Annotated[str, MinLen(16)] | None, Field(repr=False)] = None
    allow_hosts: tuple[str, ...] = ()
    max_body: PositiveInt = 16 * 2**20
    max_rows: PositiveInt = 20_000
    max_rows_slow: PositiveInt = 64
    max_requests: PositiveInt = 64
    timeout: PositiveFloat = 30.0
    reload_seconds: NonNegativeFloat = 2.0

    def model_post_init(self, _: object) -> None:
        """Refuse an open door."""
        if not self.is_local and self.token is None:
            raise ValueError(f"A token is needed to bind to {self.host}, beyond this machine.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        return _is_loopback(self.host)

    def allows_host(self, header: str) -> bool:
        """Whether a Host header names this service, so that no other site's name leads here.

        An address cannot be made to lead elsewhere, a name can.

        >>> settings = Settings()
        >>> settings.allows_host("localhost:8000"), settings.allows_host("evil.example")
        (True, False)
        """
        name = header.rpartition(":")[0] if header.rpartition(":")[2].isdigit() else header
        name = name.removeprefix("[").removesuffix("]").lower().rstrip(".")
        if name in {"localhost", self.host.lower(), *map(str.lower, self.allow_hosts)}:
            return True
        return _is_loopback(name) or (not self.is_local and _is_address(name))


class RequestError(Exception):
    """A request that is refused: status, a sentence, and when to come again."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        wait = {429: 1, 503: 5}.get(status) if retry_after is None else retry_after
        self.headers = {} if wait is None else {"Retry-After": str(wait)}


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return name.lower() == "localhost" or (_is_address(name) and ip_address(name).is_loopback)
