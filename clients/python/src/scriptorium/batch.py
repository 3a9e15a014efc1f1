"""Many documents from one template."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from .errors import ScriptoriumError
from .inputs import Source, json_body
from .results import bytes_of
from .transport import Transport

ROWS_MAX = 200
CHARS_MAX = 4_000_000


@dataclass(frozen=True)
class BatchResult:
    """The document of a row in ``content``, or the error why there is none. ``index`` counts the rows from 0."""

    index: int
    id: Union[str, int, float, None] = None
    content: Optional[bytes] = field(default=None, repr=False)
    error: Optional[ScriptoriumError] = None
    report: Dict[str, Any] = field(default_factory=dict)
    signature: Optional[Dict[str, Any]] = None
    audit_trail: Optional[Dict[str, Any]] = None


def make_batch(
    transport: Transport,
    template: Source,
    rows: Iterable[Mapping[str, Any]],
    to: Optional[str],
    head: Mapping[str, Any],
) -> Iterator[BatchResult]:
    """Makes a document of each row.

    The next rows are read when the results of those before are taken. Results come as they are ready. Rows that the
    service did not answer are sent again.
    """
    head = {**head, "document": template.as_json()}
    waiting: List[Tuple[int, Mapping[str, Any]]] = []
    chars = 0
    for index, row in enumerate(rows):
        waiting.append((index, row))
        chars += len(json.dumps(row, ensure_ascii=False))
        if len(waiting) >= ROWS_MAX or chars >= CHARS_MAX:
            if not (yield from _flush(transport, waiting, to, head)):
                return
            waiting, chars = [], 0
    yield from _flush(transport, waiting, to, head)


def _flush(
    transport: Transport,
    rows: List[Tuple[int, Mapping[str, Any]]],
    to: Optional[str],
    head: Mapping[str, Any],
) -> Iterator[BatchResult]:
    """Returns whether the service answered all rows, which it does unless it was to stop at an error."""
    waiting = dict(rows)
    attempt = 0
    while waiting:
        sent = list(waiting.items())
        body = json_body({**head, "rows": [row for _, row in sent]})
        is_whole = False
        try:
            query = {"to": to, "output": "ndjson"}
            answer = transport.open("POST", "/v1/batches", query=query, body=body)
            try:
                for text in answer.lines():
                    line = _parsed(text)
                    if line is None:
                        continue
                    if "summary" in line:
                        is_whole = True
                    elif "index" not in line:
                        raise ScriptoriumError.of(line["error"])
                    else:
                        index = sent[line["index"]][0]
                        if waiting.pop(index, None) is None:
                            continue
                        attempt = 0
                        yield _result_of(line, index)
            finally:
                answer.close()
            if is_whole:
                return not waiting
            raise ScriptoriumError("CONNECTION_FAILED", "The answer is not whole.")
        except ScriptoriumError as error:
            if not waiting:
                break
            transport.pause(error, attempt)
            attempt += 1
    return True


def _parsed(text: bytes) -> Optional[Dict[str, Any]]:
    if not text.strip():
        return None
    try:
        line = json.loads(text)
    except ValueError as cause:
        # The last line of an answer that was cut off.
        raise ScriptoriumError("CONNECTION_FAILED", "The answer is not whole.") from cause
    return line if isinstance(line, dict) else None


def _result_of(line: Mapping[str, Any], index: int) -> BatchResult:
    if "error" in line:
        return BatchResult(index, line.get("id"), error=ScriptoriumError.of(line["error"]))
    return BatchResult(
        index,
        line.get("id"),
        content=bytes_of(line["document"]),
        report=line.get("report", {}),
        signature=line.get("signature"),
        audit_trail=line.get("auditTrail"),
    )
