"""Webhooks of jobs: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional

TOLERANCE = 300.0
PREFIX = "whsec_"
VERSION = b"v1,"


def read_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: Optional[float] = None
) -> Dict[str, Any]:
    """Returns the content of a webhook: ``type``, ``timestamp`` and ``data``, which is the job.

    ``body`` is the bytes that came. Raises ValueError if they were not signed with ``secret``, or more than five
    minutes ago. One webhook may come more than once, with the same ``webhook-id``.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    name, at, signatures = (sent.get(f"webhook-{part}", "") for part in ("id", "timestamp", "signature"))
    if not (at.isascii() and at.isdigit()) or abs((time.time() if now is None else now) - int(at)) > TOLERANCE:
        raise ValueError("the webhook has no time, or is too old")
    key = base64.b64decode(secret[len(PREFIX) :] if secret.startswith(PREFIX) else secret)
    digest = hmac.new(key, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = VERSION + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")):
        raise ValueError("the webhook was not signed with this secret")
    content: Dict[str, Any] = json.loads(body)
    return content
