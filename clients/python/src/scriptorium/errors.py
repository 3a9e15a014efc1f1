"""Errors of the service and of the way to it."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

RETRIED_STATUSES = (429, 503, 504)
RETRIED_CODES = (
    "CONNECTION_FAILED",
    "RATE_LIMIT_EXCEEDED",
    "CONCURRENCY_LIMIT",
    "OVERLOADED",
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "IDEMPOTENCY_IN_PROGRESS",
)


class ScriptoriumError(Exception):
    """A request that was not answered with success.

    ``code`` is a code of the service, or ``CONNECTION_FAILED``, ``TIMEOUT`` or ``UNEXPECTED_ANSWER``. ``status`` is 0
    if no answer came. ``details`` lists the fields of the request at fault. ``request_id`` names the request in the
    logs of the service. ``retry_after`` is the time in seconds that the service asks to wait.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Sequence[Mapping[str, str]] = (),
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.details = list(details)
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in RETRIED_STATUSES or self.code in RETRIED_CODES

    @classmethod
    def of(cls, body: Mapping[str, Any], status: int = 0, retry_after: Optional[float] = None) -> "ScriptoriumError":
        """Returns the error of an answer of the service."""
        return cls(
            body["code"],
            body.get("message", ""),
            status=status,
            details=body.get("details", ()),
            request_id=body.get("requestId"),
            retry_after=retry_after,
        )
