"""Requests, which are sent again if that may help."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import closing
from typing import Any, Callable, Mapping, Optional, TypeVar

from .errors import ScriptoriumError
from .inputs import Body

WAIT_MIN = 0.5
WAIT_MAX = 8.0
CHUNK_BYTES = 64 * 1024

Result = TypeVar("Result")


class Answer:
    """An answer with success: its headers, and its body, which comes within the time of the request."""

    def __init__(self, response: Any, timeout: float) -> None:
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._timeout = timeout
        self._end = time.monotonic() + timeout

    def read(self) -> bytes:
        """Reads the body as a whole."""
        chunks = []
        while True:
            chunk = self._response.read(CHUNK_BYTES)
            if not chunk:
                break
            if time.monotonic() > self._end:
                raise TimeoutError
            chunks.append(chunk)
        return b"".join(chunks)

    def json(self) -> Any:
        return json.loads(self.read())

    def lines(self) -> Any:
        """Reads lines as they come. Only silence ends them early."""
        while True:
            try:
                line = self._response.readline()
            except (OSError, http.client.HTTPException) as cause:
                raise ScriptoriumError("CONNECTION_FAILED", "The answer is not whole.") from cause
            if not line:
                return
            yield line

    def close(self) -> None:
        self._response.close()


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key along."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Transport:
    """Sends requests to one service. Honors the proxies of the environment."""

    def __init__(self, base_url: str, api_key: Optional[str], retries: int, timeout: float) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must be an http or https address")
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._retries = retries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_StayHere)

    def send(
        self,
        method: str,
        path: str,
        read: Callable[[Answer], Result],
        *,
        query: Optional[Mapping[str, Any]] = None,
        accept: str = "application/json",
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, str]] = None,
        is_once: bool = False,
    ) -> Result:
        """Returns what ``read`` makes of the answer.

        ``is_once`` is for a request with an effect: only an answer shows whether it may be sent again.
        """
        attempt = 0
        while True:
            try:
                with closing(
                    self.open(method, path, query=query, accept=accept, body=body, headers=headers)
                ) as answer:
                    return self._guarded(lambda: read(answer))
            except ScriptoriumError as error:
                if is_once and error.status == 0:
                    raise
                self.pause(error, attempt)
            attempt += 1

    def pause(self, error: ScriptoriumError, attempt: int) -> None:
        """Waits before another attempt. Raises the error if there is none."""
        wait = error.retry_after
        if wait is None:
            wait = random.uniform(0, min(WAIT_MAX, WAIT_MIN * 2**attempt))
        if not error.is_retryable or attempt >= self._retries or wait > self._timeout:
            raise error
        time.sleep(wait)

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        accept: str = "application/json",
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        """Sends a request once. Raises ScriptoriumError unless the answer is a success."""
        pairs = [(name, _text(value)) for name, value in (query or {}).items() if value is not None]
        url = f"{self._base_url}{path}{'?' if pairs else ''}{urllib.parse.urlencode(pairs)}"
        sent = {**(headers or {}), "Accept": accept}
        if self._api_key is not None:
            sent["Authorization"] = f"Bearer {self._api_key}"
        if body is not None:
            sent["Content-Type"] = body[1]
        content = None if body is None else body[0]
        request = urllib.request.Request(url, data=content, headers=sent, method=method)
        return self._guarded(lambda: self._open(request))

    def _open(self, request: urllib.request.Request) -> Answer:
        try:
            return Answer(self._opener.open(request, timeout=self._timeout), self._timeout)
        except urllib.error.HTTPError as answer:
            with answer:
                raise _error_of(answer) from None

    def _guarded(self, run: Callable[[], Result]) -> Result:
        try:
            return run()
        except ScriptoriumError:
            raise
        except (OSError, http.client.HTTPException) as cause:
            reason = getattr(cause, "reason", cause)
            if isinstance(reason, TimeoutError):
                raise ScriptoriumError("TIMEOUT", f"No answer within {self._timeout:g} seconds.") from cause
            raise ScriptoriumError("CONNECTION_FAILED", f"The connection failed: {reason}.") from cause
        except (ValueError, KeyError) as cause:
            raise ScriptoriumError("UNEXPECTED_ANSWER", "The answer is not one of the service.") from cause


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _error_of(answer: urllib.error.HTTPError) -> ScriptoriumError:
    seconds = answer.headers.get("Retry-After")
    retry_after = float(seconds) if seconds is not None and seconds.isdigit() else None
    try:
        return ScriptoriumError.of(json.loads(answer.read()), answer.code, retry_after)
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        request_id = answer.headers.get("X-Request-Id")
        message = f"HTTP {answer.code}"
        return ScriptoriumError(
            "UNEXPECTED_ANSWER", message, status=answer.code, request_id=request_id, retry_after=retry_after
        )
