"""The client against a running service: SCRIPTORIUM_URL, SCRIPTORIUM_API_KEY, and the folder of the samples."""

import base64
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

from scriptorium import Scriptorium, ScriptoriumError

URL = os.environ["SCRIPTORIUM_URL"]
SAMPLES = pathlib.Path(os.environ["SCRIPTORIUM_SAMPLES"])
README = pathlib.Path(__file__).parents[1] / "README.md"
NOW = "2026-05-01T12:00:00Z"
SIGNER = {"name": "Ada Lovelace", "email": "ada@example.com"}


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Scriptorium(URL, os.environ["SCRIPTORIUM_API_KEY"])
        self.letter = SAMPLES / "sample.docx"
        self.template = SAMPLES / "sample-template.docx"

    def test_takes_a_template_to_a_filled_signed_and_verified_pdf(self) -> None:
        ids = [field["id"] for field in self.client.inspect(self.template)["fields"]]
        self.assertIn("order_number", ids)
        commented = self.client.lint(self.template, {"note": 1})
        self.assertEqual((commented.mistakes, commented.doubts, commented.warnings), (0, 8, []))
        values = {"customer_name": "Ada", "order_number": 1842, "items": [["Engine", 1, None]], "nothing": "x"}
        filled = self.client.fill(self.template, values, to="pdf")
        self.assertTrue(filled.content.startswith(b"%PDF-"))
        self.assertEqual(filled.file_name, "sample-template.pdf")
        self.assertEqual((filled.unmatched_count, filled.unmatched), (1, ["nothing"]))
        self.assertRegex(filled.request_id, "^req_")
        signed = self.client.sign(filled.content, signer=SIGNER, auditTrail=[{"type": "submit", "timestamp": NOW}])
        self.assertEqual(signed.signature["level"], "B-B")
        self.assertTrue(self.client.verify(signed.content, trust={"profile": "service"})["valid"])
        changed = bytearray(signed.content)
        changed[changed.index(b"stream") + 40] ^= 1
        self.assertEqual(self.client.verify(changed)["verdict"], "invalid")

    def test_converts_every_kind_of_input_and_reports_what_was_lost(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            notes = pathlib.Path(folder, "Notes ✓.md")
            notes.write_text("# Notes\n\nText.", encoding="utf-8")
            self.assertEqual(self.client.convert(notes).file_name, "Notes ✓.pdf")
            with open(notes, "rb") as file:
                self.assertEqual(self.client.convert(file).pages, 1)
        made = self.client.convert(self.letter.read_bytes(), pdfua=True)
        self.assertTrue(made.content.rstrip().endswith(b"%%EOF"))
        self.assertEqual(made.report["pages"], 1)
        text = self.client.convert(str(self.letter), to="txt").content
        rows = self.client.convert(io.BytesIO(b"item;pieces\nEngine;1\n"), from_="csv", delimiter=";", imageQuality=80)
        self.assertEqual(rows.pages, 1)
        self.assertIn(b"A sample letter", text)

    def test_starts_a_job_and_fetches_its_result(self) -> None:
        document = {"base64": base64.b64encode(b"# Later").decode()}
        job, same = (
            self.client.jobs.start("convert", {"document": document}, from_="md", idempotency_key="py-1")
            for _ in range(2)
        )
        self.assertEqual((job["id"], job["operation"]), (same["id"], "convert"))
        self.assertEqual(self.client.jobs.get(job["id"], wait=60)["status"], "succeeded")
        content, content_type = self.client.jobs.result(job["id"])
        self.assertEqual((content[:5], content_type), (b"%PDF-", "application/pdf"))
        self.assertIn(job["id"], [listed["id"] for listed in self.client.jobs.list()])
        with self.assertRaises(ScriptoriumError) as raised:
            self.client.jobs.cancel(job["id"])
        self.assertEqual(raised.exception.code, "JOB_ENDED")
        self.assertRegex(self.client.jobs.webhook_secret(), "^whsec_")
        with self.assertRaises(ScriptoriumError) as raised:
            self.client.jobs.start("batch", {"document": document, "rows": [{"data": {}}]})
        self.assertEqual(raised.exception.details[0]["field"], "rows[0].deliver")

    def test_generates_signs_and_merges(self) -> None:
        plain = self.client.generate(self.template, {})
        self.assertTrue(plain.content.startswith(b"PK"))
        self.assertEqual(plain.unmatched, ["data.order_number"])
        self.assertEqual(plain.unused_count, 0)
        self.assertEqual(self.client.generate(self.template, {"order_number": 1, "x": 2}).unused, ["data.x"])
        sign = {"signer": SIGNER, "auditTrail": [{"type": "submit", "timestamp": NOW}]}
        signed = self.client.generate(self.template, {"order_number": 1}, to="pdf", sign=sign)
        self.assertEqual(signed.signature["level"], "B-B")
        merged = self.client.merge([self.letter, self.letter], to="pdf", pageNumbers="continue", break_="page")
        self.assertEqual(merged.pages, 2)

    def test_makes_a_document_of_each_row_and_reads_rows_no_faster_than_results_are_taken(self) -> None:
        read = 0

        def rows():
            nonlocal read
            for number in range(250):
                read += 1
                wrong = {"id": number, "fields": [{"id": "x"}]}
                yield wrong if number == 7 else {"id": number, "data": {"customer_name": f"No. {number}"}}

        seen = set()
        for result in self.client.batch(self.template, rows()):
            if not seen:
                self.assertEqual(read, 200)
            seen.add(result.index)
            self.assertEqual(result.id, result.index)
            if result.index == 7:
                self.assertEqual(result.error.code, "VALIDATION_ERROR")
            else:
                self.assertTrue(result.content.startswith(b"PK"))
        self.assertEqual(seen, set(range(250)))

    def test_reads_usage_limits_health_and_keys(self) -> None:
        self.assertEqual(self.client.usage(granularity="month")["granularity"], "month")
        self.assertEqual(self.client.limits()["counts"]["mergedDocumentsMax"], 100)
        self.assertEqual(self.client.health()["checks"]["queue"], "up")
        self.assertTrue(any(key["current"] for key in self.client.keys.list()))

    def test_raises_what_the_service_answers(self) -> None:
        with self.assertRaises(ScriptoriumError) as caught:
            self.client.fill(self.letter, [{"id": "a", "type": "text", "value": {}}])
        self.assertEqual(caught.exception.code, "VALIDATION_ERROR")
        self.assertEqual(caught.exception.details[0]["field"], "fields[0].value")
        self.assertRegex(caught.exception.request_id, "^req_")
        for call, code in (
            (lambda: Scriptorium(URL, '"scr_x"').usage(), "AUTHENTICATION_ERROR"),
            (lambda: self.client.keys.revoke("key_aaaaaaaaaaaaaaaaaaaaaaaaaa"), "NOT_FOUND"),
            (lambda: self.client.convert(b"x"), "INVALID_FILE_FORMAT"),
        ):
            with self.assertRaises(ScriptoriumError) as caught:
                call()
            self.assertEqual(caught.exception.code, code)

    def test_the_examples_of_the_readme_run(self) -> None:
        examples = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.S | re.M)
        self.assertEqual(len(examples), 2)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, self.template.name).write_bytes(self.template.read_bytes())
            printed = io.StringIO()
            before = os.getcwd()
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(printed), mock.patch.dict(os.environ):
                    exec("\n".join(examples), {})
            finally:
                os.chdir(before)
            self.assertEqual(printed.getvalue(), "valid\n")
            self.assertEqual(len(list(pathlib.Path(folder).glob("order-*.pdf"))), 25)


if __name__ == "__main__":
    unittest.main()
