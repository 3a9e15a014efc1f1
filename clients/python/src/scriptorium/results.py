"""Documents that the service made, and the facts about them."""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from .errors import ScriptoriumError
from .transport import Answer


@dataclass(frozen=True)
class Made:
    """A document: its bytes in ``content``. ``pages`` is known if the service counted them."""

    content: bytes = field(repr=False)
    file_name: str
    pages: Optional[int]
    request_id: str


@dataclass(frozen=True)
class Converted(Made):
    """A converted document. ``report`` lists what was lost."""

    report: Dict[str, Any]


@dataclass(frozen=True)
class Filled(Made):
    """A filled template.

    ``filled`` is the number of places that were filled. ``unmatched_count`` values match nothing or are missing;
    ``unmatched`` has the first of them. No mark reads ``unused_count`` properties of the data; ``unused`` has the first.
    Filling fields left ``remaining`` marks in the text.
    """

    filled: int
    unmatched_count: int
    unmatched: List[str]
    unused_count: int
    unused: List[str]
    remaining: int
    warnings: List[str]


@dataclass(frozen=True)
class Linted(Made):
    """A template with comments. The service refuses it for its ``mistakes``, not for its ``doubts``."""

    mistakes: int
    doubts: int
    warnings: List[str]


@dataclass(frozen=True)
class Signed(Made):
    """A signed document. With an external key, ``to_be_signed`` has the bytes to sign instead of ``signature``."""

    signature: Optional[Dict[str, Any]]
    to_be_signed: Optional[Dict[str, Any]]
    audit_trail: Optional[Dict[str, Any]]
    sign_warnings: List[Dict[str, Any]]


@dataclass(frozen=True)
class Augmented(Made):
    """A document whose signatures were raised. Unless ``is_changed``, they needed nothing."""

    is_changed: bool
    signatures: List[Dict[str, Any]]
    protected_until: Optional[str]
    sign_warnings: List[Dict[str, Any]]


@dataclass(frozen=True)
class Generated(Filled):
    """A document that was made from data. The last four are set with ``sign``."""

    signature: Optional[Dict[str, Any]] = None
    to_be_signed: Optional[Dict[str, Any]] = None
    audit_trail: Optional[Dict[str, Any]] = None
    sign_warnings: List[Dict[str, Any]] = field(default_factory=list)


def facts_of(headers: Mapping[str, str]) -> Dict[str, Any]:
    pages = headers.get("X-Page-Count")
    return {
        "file_name": _file_name_of(headers.get("Content-Disposition") or ""),
        "pages": None if pages is None else int(pages),
        "request_id": headers.get("X-Request-Id") or "",
    }


def filling_of(headers: Mapping[str, str]) -> Dict[str, Any]:
    warnings = headers.get("X-Annotate-Warnings") or headers.get("X-Generate-Warnings")
    return {
        "filled": int(headers.get("X-Fields-Filled") or 0),
        "unmatched_count": int(headers.get("X-Fields-Unmatched") or 0),
        "unmatched": _list_of(headers.get("X-Fields-Unmatched-List")),
        "unused_count": int(headers.get("X-Data-Unused") or 0),
        "unused": _list_of(headers.get("X-Data-Unused-List")),
        "remaining": int(headers.get("X-Marks-Remaining") or 0),
        "warnings": _list_of(warnings),
    }


def signing_of(body: Mapping[str, Any]) -> Dict[str, Any]:
    return {
        "signature": body.get("signature"),
        "to_be_signed": body.get("toBeSigned"),
        "audit_trail": body.get("auditTrail"),
        "sign_warnings": body.get("warnings", []),
    }


def augmentation_of(body: Mapping[str, Any]) -> Dict[str, Any]:
    return {
        "is_changed": body["isChanged"],
        "signatures": body["signatures"],
        "protected_until": body.get("protectedUntil"),
        "sign_warnings": body.get("warnings", []),
    }


def bytes_of(document: Mapping[str, str]) -> bytes:
    """Decodes a data URI of the service."""
    return base64.b64decode(document["base64"].split(",", 1)[1], validate=True)


def read_made(answer: Answer) -> Made:
    return Made(content=answer.read(), **facts_of(answer.headers))


def read_linted(answer: Answer) -> Linted:
    headers = answer.headers
    return Linted(
        content=answer.read(),
        **facts_of(headers),
        mistakes=int(headers.get("X-Template-Mistakes") or 0),
        doubts=int(headers.get("X-Template-Doubts") or 0),
        warnings=_list_of(headers.get("X-Template-Warnings")),
    )


def read_filled(answer: Answer) -> Filled:
    return Filled(content=answer.read(), **facts_of(answer.headers), **filling_of(answer.headers))


def read_converted(answer: Answer) -> Converted:
    """Reads a document and its report (RFC 2046, 5.1.3). The service says how long the first part is."""
    body = answer.read()
    start = body.index(b"\r\n\r\n") + 4
    head = body[:start].decode("latin-1")
    length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
    if length is None:
        raise ScriptoriumError("UNEXPECTED_ANSWER", "The answer has no report.")
    end = start + int(length[1])
    report = re.search(rb"\r\n\r\n(.*)\r\n--", body[end:], re.DOTALL)
    if report is None:
        raise ScriptoriumError("UNEXPECTED_ANSWER", "The answer has no report.")
    facts = {**facts_of(answer.headers), "file_name": _file_name_of(head)}
    return Converted(content=body[start:end], report=json.loads(report[1]), **facts)


def _file_name_of(disposition: str) -> str:
    """The names of RFC 6266: the extended one has all characters."""
    extended = re.search(r"filename\*=UTF-8''([^;\r\n]+)", disposition, re.IGNORECASE)
    if extended is not None:
        return urllib.parse.unquote(extended[1])
    plain = re.search(r'filename="([^"]*)"', disposition, re.IGNORECASE)
    return "" if plain is None else plain[1]


def _list_of(text: Optional[str]) -> List[str]:
    return [] if not text else [urllib.parse.unquote(one) for one in text.split(", ")]
