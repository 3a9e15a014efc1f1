"""Requests that are answered later."""

from __future__ import annotations

import urllib.parse
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .described import as_sent
from .inputs import json_body
from .transport import Answer, Transport

PATHS = {
    "convert": "/v1/convert",
    "annotate": "/v1/annotate",
    "generate": "/v1/generate",
    "merge": "/v1/merge",
    "inspect": "/v1/templates/inspect",
    "sign": "/v1/sign",
    "signDigest": "/v1/sign/digest",
    "augment": "/v1/augment",
    "verify": "/v1/verify",
    "batch": "/v1/batches",
}


class Jobs:
    """Requests with ``Prefer: respond-async``. A job is a dict, as in the API."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(
        self,
        operation: str,
        body: Mapping[str, Any],
        *,
        accept: str = "application/json",
        idempotency_key: Optional[str] = None,
        **query: Any,
    ) -> Dict[str, Any]:
        """Sends a request whose result is delivered as ``body["deliver"]`` says, or waits to be fetched.

        ``operation`` is one of ``PATHS``, and ``body`` its JSON body. The same ``idempotency_key`` and request are the
        same job.
        """
        headers = {"Prefer": "respond-async"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        # Without a key, a second request would be a second job.
        is_once = idempotency_key is None
        return self._transport.send(
            "POST",
            PATHS[operation],
            Answer.json,
            query=as_sent(query),
            accept=accept,
            body=json_body(body),
            headers=headers,
            is_once=is_once,
        )

    def get(self, job_id: str, *, wait: int = 0) -> Dict[str, Any]:
        """Returns a job. With ``wait`` seconds, at most 60, once it has ended or that time is over."""
        headers = {"Prefer": f"wait={wait}"} if wait > 0 else {}
        return self._transport.send("GET", _path_of(job_id), Answer.json, headers=headers)

    def list(self, *, after: Optional[str] = None) -> List[Dict[str, Any]]:
        """Returns at most 100 jobs of the last 24 hours, newest first, from the one behind ``after`` on."""
        return self._transport.send("GET", "/v1/jobs", lambda answer: answer.json()["jobs"], query={"after": after})

    def result(self, job_id: str) -> Tuple[bytes, str]:
        """Returns the bytes and the type of the answer of a job that has succeeded. The service has it once."""

        def read(answer: Answer) -> Tuple[bytes, str]:
            return answer.read(), answer.headers.get("Content-Type") or ""

        return self._transport.send("GET", f"{_path_of(job_id)}/result", read, accept="*/*", is_once=True)

    def cancel(self, job_id: str) -> Dict[str, Any]:
        """Cancels a job that has not ended."""
        return self._transport.send("DELETE", _path_of(job_id), Answer.json)

    def webhook_secret(self) -> str:
        """Returns the secret of the webhooks of this key, for ``read_webhook``."""
        return self._transport.send("GET", "/v1/jobs/webhook-secret", lambda answer: answer.json()["secret"])


def _path_of(job_id: str) -> str:
    return f"/v1/jobs/{urllib.parse.quote(job_id, safe='')}"
