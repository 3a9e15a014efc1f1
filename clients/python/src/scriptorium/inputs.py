"""Documents that are sent."""

from __future__ import annotations

import base64
import json
import os
import secrets
from dataclasses import dataclass
from typing import Any, BinaryIO, List, Mapping, Optional, Sequence, Tuple, Union


@dataclass(frozen=True)
class Url:
    """A public address of a document, which the service fetches."""

    href: str


Input = Union[bytes, bytearray, memoryview, "os.PathLike[str]", str, BinaryIO, Url]
"""Bytes, a path, a binary file, or an address that the service fetches."""


@dataclass(frozen=True)
class Source:
    """A document: its bytes with a name, or its address."""

    name: str
    content: bytes = b""
    url: Optional[str] = None

    def as_json(self) -> Mapping[str, str]:
        """Returns the document for a JSON body."""
        if self.url is not None:
            return {"url": self.url}
        return {"base64": base64.b64encode(self.content).decode("ascii")}


def source_of(document: Input) -> Source:
    """Reads a document once, so that the request can be sent again."""
    if isinstance(document, Url):
        return Source(name=document.href.split("?")[0].rsplit("/", 1)[-1], url=document.href)
    if isinstance(document, (bytes, bytearray, memoryview)):
        return Source(name="", content=bytes(document))
    if isinstance(document, (str, os.PathLike)):
        path = os.fspath(document)
        with open(path, "rb") as file:
            return Source(name=os.path.basename(path), content=file.read())
    name = getattr(document, "name", "")
    return Source(name=os.path.basename(name) if isinstance(name, str) else "", content=document.read())


def extension_of(name: str) -> Optional[str]:
    """Returns the extension of a name in lower case: ``md`` for ``Notes.MD``."""
    extension = os.path.splitext(name)[1][1:].lower()
    return extension or None


Body = Tuple[bytes, str]
"""The body of a request, and its type."""


def json_body(value: Any) -> Body:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8"), "application/json"


def body_of(source: Source, request: Optional[Mapping[str, Any]]) -> Body:
    """Returns the body of a request on a document: a form, or JSON for an address."""
    if source.url is not None:
        return json_body({**(request or {}), "document": source.as_json()})
    return _form([source], {} if request is None else {"request": request})


def merge_body_of(sources: Sequence[Source], options: Mapping[str, Any]) -> Body:
    """Returns the body of a request on several documents: a form, or JSON if one is an address."""
    if any(source.url is not None for source in sources):
        return json_body({"documents": [source.as_json() for source in sources], "options": options})
    return _form(sources, {"options": options})


def _form(files: Sequence[Source], values: Mapping[str, Any]) -> Body:
    """Writes a form (RFC 7578)."""
    boundary = f"scriptorium-{secrets.token_hex(16)}"
    parts: List[bytes] = []
    for name, value in values.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\nContent-Type: application/json\r\n\r\n'
        parts += [head.encode(), json_body(value)[0], b"\r\n"]
    for source in files:
        file_name = (source.name or "document").translate({0x22: "%22", 0x0D: "%0D", 0x0A: "%0A"})
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        parts += [head.encode("utf-8", "surrogateescape"), source.content, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"
