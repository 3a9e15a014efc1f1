"""A client of the document service."""

from __future__ import annotations

import base64
import re
import urllib.parse
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from .batch import BatchResult, make_batch
from .described import as_sent, described, takes
from .inputs import Input, body_of, extension_of, json_body, merge_body_of, source_of
from .jobs import Jobs
from .options_gen import (
    AUGMENT_OPTIONS,
    CONVERT_OPTIONS,
    FILL_OPTIONS,
    GENERATE_OPTIONS,
    MERGE_OPTIONS,
    SIGN_OPTIONS,
    VERIFY_OPTIONS,
    ConvertOptions,
    FillOptions,
    GenerateOptions,
    MergeOptions,
)
from .results import (
    Augmented,
    Converted,
    Filled,
    Generated,
    Linted,
    Made,
    Signed,
    augmentation_of,
    bytes_of,
    facts_of,
    filling_of,
    read_converted,
    read_filled,
    read_linted,
    read_made,
    signing_of,
)
from .transport import Answer, Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TYPES = {"docx": DOCX_TYPE, "pdf": "application/pdf"}

Fields = Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]
"""Values by the id of their field (a list of rows is a table), or a list of fields as in the API."""


class Scriptorium:
    """Converts, fills, generates, merges, signs and verifies. All methods raise ScriptoriumError.

    ``retries`` is how often a request is sent again after 429, 503, 504 or a broken connection. ``timeout`` is the
    time in seconds for one answer, by default more than the service takes. A client may be used by several threads.
    """

    def __init__(
        self, base_url: str, api_key: Optional[str] = None, *, retries: int = 2, timeout: float = 70.0
    ) -> None:
        self._transport = Transport(base_url, api_key, retries, timeout)
        self.keys = Keys(self._transport)
        self.jobs = Jobs(self._transport)

    @staticmethod
    def register(email: str, base_url: str) -> str:
        """Has a code mailed. Returns the id of the registration, for ``redeem`` from another network."""
        return Transport(base_url, None, 2, 70.0).send(
            "GET",
            "/v1/auth/register",
            lambda answer: answer.headers.get("X-Registration-Id") or "",
            query={"email": email},
            is_once=True,
        )

    @staticmethod
    def redeem(email: str, code: str, base_url: str, *, registration: Optional[str] = None) -> str:
        """Returns the API key for the code of a mail. The service shows it only once."""
        body = _without_none({"email": email, "code": code, "registration": registration})
        return Transport(base_url, None, 2, 70.0).send(
            "POST", "/v1/auth/verify", Answer.json, body=json_body(body), is_once=True
        )

    @takes(CONVERT_OPTIONS)
    def convert(
        self,
        document: Input,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        **options: Unpack[ConvertOptions],
    ) -> Converted:
        """Converts a document: by default from the format that its name ends in, or else DOCX, to PDF."""
        source = source_of(document)
        query = {"from": from_ or extension_of(source.name) or "docx", "to": to, **as_sent(options)}
        body = body_of(source, None)
        return self._transport.send(
            "POST", "/v1/convert", read_converted, query=query, accept="multipart/mixed", body=body
        )

    def inspect(self, template: Input, data: Any = None) -> Dict[str, Any]:
        """Lists the fields and marks of a template. With ``data``, also what it lacks and what no mark reads of it."""
        body = body_of(source_of(template), None if data is None else {"data": data})
        return self._transport.send("POST", "/v1/templates/inspect", Answer.json, body=body)

    def lint(self, template: Input, data: Any = None) -> Linted:
        """Returns a template with a comment at each mistake in its marks, or without mistakes, at each doubt."""
        body = body_of(source_of(template), None if data is None else {"data": data})
        path, accept = "/v1/templates/inspect", TYPES["docx"]
        return self._transport.send("POST", path, read_linted, query={"to": "docx"}, accept=accept, body=body)

    @takes(FILL_OPTIONS)
    def fill(
        self, template: Input, fields: Fields, *, to: Optional[str] = None, **options: Unpack[FillOptions]
    ) -> Filled:
        """Fills the fields of a template."""
        entries = _fields_of(fields)
        body = body_of(source_of(template), {"fields": entries})
        query = {"to": to, **as_sent(options)}
        filled = self._transport.send(
            "POST", "/v1/annotate", read_filled, query=query, accept=TYPES[to or "docx"], body=body
        )
        return replace(filled, unmatched=[_name_in(entries, place) for place in filled.unmatched])

    @described(GENERATE_OPTIONS)
    def generate(
        self,
        template: Input,
        data: Any,
        *,
        to: Optional[str] = None,
        options: Optional[GenerateOptions] = None,
        **request: Any,
    ) -> Generated:
        """Makes a document from a template and data.

        ``request`` may have ``convert`` and ``sign``, as in the API. ``options`` may have:
        """
        body = body_of(source_of(template), {"data": data, "options": options or {}, **request})
        if "sign" not in request:
            accept = TYPES[to or "docx"]
            return self._transport.send(
                "POST", "/v1/generate", _read_generated, query={"to": to}, accept=accept, body=body
            )
        return self._transport.send("POST", "/v1/generate", _read_signed_one, query={"to": to}, body=body)

    def batch(
        self, template: Input, rows: Iterable[Mapping[str, Any]], *, to: Optional[str] = None, **head: Any
    ) -> Iterator[BatchResult]:
        """Makes a document of each row, as the results are taken.

        A row is ``{"data": …}`` or ``{"fields": …}``, with an optional ``id``. ``head`` may have ``options``,
        ``convert`` and ``sign``.
        """
        return make_batch(self._transport, source_of(template), rows, to, head)

    @takes(MERGE_OPTIONS)
    def merge(
        self, documents: Sequence[Input], *, to: Optional[str] = None, **options: Unpack[MergeOptions]
    ) -> Made:
        """Combines documents into one, in their order."""
        body = merge_body_of([source_of(document) for document in documents], as_sent(options))
        accept = TYPES[to or "docx"]
        return self._transport.send("POST", "/v1/merge", read_made, query={"to": to}, accept=accept, body=body)

    @takes(SIGN_OPTIONS)
    def sign(self, document: Input, *, to: Optional[str] = None, **request: Any) -> Signed:
        """Signs a PDF or DOCX. ``request`` also has ``signer``, ``auditTrail``, ``key`` and so on, as in the API."""
        body = body_of(source_of(document), request)

        def read(answer: Answer) -> Signed:
            result = answer.json()
            return Signed(content=bytes_of(result["document"]), **facts_of(answer.headers), **signing_of(result))

        return self._transport.send("POST", "/v1/sign", read, query={"to": to}, body=body)

    def sign_digest(self, digest: Union[bytes, str], **request: Any) -> Dict[str, Any]:
        """Signs the digest of a document that stays here. ``cms`` of the result has the bytes of the signature to embed.

        ``request`` may have ``hash``, ``key``, ``level`` and ``timestamp``.
        """
        text = digest if isinstance(digest, str) else digest.hex()

        def read(answer: Answer) -> Dict[str, Any]:
            result = answer.json()
            return {**result, "cms": base64.b64decode(result["cms"], validate=True)}

        return self._transport.send("POST", "/v1/sign/digest", read, body=json_body({**request, "digest": text}))

    @takes(AUGMENT_OPTIONS)
    def augment(self, document: Input, **request: Any) -> Augmented:
        """Raises the level of the signatures of a PDF or DOCX, or renews what protects them.

        ``request`` may also have ``password``, ``signatures`` and ``timestamp``.
        """
        body = body_of(source_of(document), request)

        def read(answer: Answer) -> Augmented:
            result = answer.json()
            return Augmented(
                content=bytes_of(result["document"]), **facts_of(answer.headers), **augmentation_of(result)
            )

        return self._transport.send("POST", "/v1/augment", read, body=body)

    @takes(VERIFY_OPTIONS)
    def verify(self, document: Input, **request: Any) -> Dict[str, Any]:
        """Verifies the signatures of a PDF or DOCX. An invalid signature is a result, not an error.

        ``request`` may also have ``password`` and ``trust``.
        """
        body = body_of(source_of(document), request)
        return self._transport.send("POST", "/v1/verify", Answer.json, body=body)

    def usage(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        granularity: Optional[str] = None,
        group_by: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Returns the counts of opened documents and of operations."""
        query = {"from": from_, "to": to, "granularity": granularity, "groupBy": group_by}
        return self._transport.send("GET", "/v1/usage", Answer.json, query=query)

    def limits(self) -> Dict[str, Any]:
        """Returns the formats and limits of the service."""
        return self._transport.send("GET", "/v1/limits", Answer.json)

    def health(self) -> Dict[str, Any]:
        """Returns the state of the service. Raises UNAVAILABLE if it cannot serve requests."""
        return self._transport.send("GET", "/v1/health", Answer.json)


class Keys:
    """The API keys of the address that owns the key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[Dict[str, Any]]:
        return self._transport.send("GET", "/v1/auth/keys", lambda answer: answer.json()["keys"])

    def revoke(self, key_id: str) -> None:
        path = f"/v1/auth/keys/{urllib.parse.quote(key_id, safe='')}"
        self._transport.send("DELETE", path, lambda _: None)


def _read_generated(answer: Answer) -> Generated:
    return Generated(content=answer.read(), **facts_of(answer.headers), **filling_of(answer.headers))


def _read_signed_one(answer: Answer) -> Generated:
    result = answer.json()
    facts = {**facts_of(answer.headers), **filling_of(answer.headers), **signing_of(result)}
    return Generated(content=bytes_of(result["document"]), **facts)


def _fields_of(fields: Fields) -> Sequence[Mapping[str, Any]]:
    if not isinstance(fields, Mapping):
        return fields
    return [
        {"id": name, "type": "table" if isinstance(value, (list, tuple)) else "text", "value": value}
        for name, value in fields.items()
    ]


def _name_in(fields: Sequence[Mapping[str, Any]], place: str) -> str:
    """Returns the name of an entry, of which the service knows the place: ``fields[3]``."""
    number = re.search(r"\d+", place)
    entry = fields[int(number.group())] if number else {}
    return entry.get("id") or entry.get("group") or place


def _without_none(values: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
