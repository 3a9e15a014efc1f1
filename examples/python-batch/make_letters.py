"""Makes a letter for each row of a CSV file. Ends with 1 if a row has none."""

import csv
import datetime
import os
import pathlib
import re
import sys
from typing import Dict, Iterator

from scriptorium import Scriptorium, ScriptoriumError

TEMPLATE = pathlib.Path(__file__).with_name("letter.docx")


def rows_of(path: str, today: datetime.date) -> Iterator[Dict[str, object]]:
    """Yields the rows as the service takes them. Columns without a name in the template do no harm."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        for member in csv.DictReader(file):
            # Without a value, the row fails: a letter with a gap is worse than none.
            data: Dict[str, object] = {name: value for name, value in member.items() if name and value}
            data.update(
                year=today.year, date=today.isoformat(), due=(today + datetime.timedelta(days=30)).isoformat()
            )
            yield {"data": data, "id": member["name"]}


def file_name(number: int, name: object) -> str:
    """Names may have characters that file systems refuse."""
    safe = re.sub(r"[^\w .-]", "_", str(name))[:60]
    return f"{number:06d}-{safe}.pdf"


def main(table: str, folder: str) -> int:
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    client = Scriptorium(os.environ["SCRIPTORIUM_URL"], os.environ["SCRIPTORIUM_API_KEY"])
    made = failed = 0
    rows = rows_of(table, datetime.date.today())
    options = {"onMissing": "error", "locale": "en-GB", "currency": "EUR"}
    # Rows are read as results are taken: a table of a million rows needs no more memory than this one.
    for result in client.batch(TEMPLATE, rows, to="pdf", options=options):
        number = result.index + 1
        if result.content is None:
            failed += 1
            fields = ", ".join(f"{detail['field']} {detail['issue']}" for detail in result.error.details)
            print(f"row {number} ({result.id}): {result.error.code}: {fields or result.error.message}", file=sys.stderr)
        else:
            made += 1
            (out / file_name(number, result.id)).write_bytes(result.content)
    print(f"{made} letters in {out}, {failed} rows failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: make_letters.py TABLE.csv FOLDER")
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except ScriptoriumError as error:
        sys.exit(f"{error} (request {error.request_id})")
