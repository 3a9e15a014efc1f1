"""What the client does with answers that are not a success, and with none."""

import http.server
import json
import threading
import unittest

from scriptorium import Scriptorium, ScriptoriumError


def refusal(status, code, **headers):
    body = json.dumps({"code": code, "error": "x", "message": "So it is.", "requestId": "req_1"}).encode()
    return status, body, headers


NOW = {"Retry-After": "0"}
LATER = {"Retry-After": "3600"}


class Handler(http.server.BaseHTTPRequestHandler):
    answers: list = []
    bodies: list = []

    def do_POST(self):
        self.bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        answer = self.answers.pop(0)
        if answer is None:
            self.connection.close()
            return
        status, body, headers = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_):
        pass


class RetriesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.server.server_port}/base/"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        Handler.answers, Handler.bodies = [], []
        self.client = Scriptorium(self.url)

    def error_of(self, *answers):
        Handler.answers[:] = answers
        with self.assertRaises(ScriptoriumError) as caught:
            self.client.limits()
        return caught.exception

    def test_sends_the_same_body_again(self):
        for first in (
            refusal(429, "RATE_LIMIT_EXCEEDED", **NOW),
            refusal(503, "OVERLOADED", **NOW),
            refusal(504, "DEADLINE_EXCEEDED", **NOW),
            None,
        ):
            Handler.bodies.clear()
            Handler.answers[:] = [first, (200, b'{"fields": []}', {})]
            self.assertEqual(self.client.inspect(b"template"), {"fields": []})
            self.assertEqual([b"template" in body for body in Handler.bodies], [True, True])

    def test_does_not_send_again_what_cannot_succeed(self):
        for answer, code in (
            (refusal(400, "VALIDATION_ERROR"), "VALIDATION_ERROR"),
            (refusal(500, "INTERNAL_ERROR"), "INTERNAL_ERROR"),
            (refusal(429, "RATE_LIMIT_EXCEEDED", **LATER), "RATE_LIMIT_EXCEEDED"),
            ((502, b"<html>", {}), "UNEXPECTED_ANSWER"),
            ((200, b"<html>", {}), "UNEXPECTED_ANSWER"),
            ((302, b"", {"Location": "http://127.0.0.1:1/"}), "UNEXPECTED_ANSWER"),
        ):
            Handler.bodies.clear()
            self.assertEqual(self.error_of(answer).code, code)
            self.assertEqual(len(Handler.bodies), 1)

    def test_gives_up_and_says_how_long_to_wait(self):
        error = self.error_of(*[refusal(503, "OVERLOADED", **NOW)] * 5)
        self.assertEqual((error.code, error.request_id, error.retry_after), ("OVERLOADED", "req_1", 0))
        self.assertEqual(len(Handler.bodies), 3)

    def test_does_not_use_a_code_twice(self):
        Handler.answers[:] = [None]
        with self.assertRaises(ScriptoriumError) as caught:
            Scriptorium.redeem("a@example.com", "123456", self.url)
        self.assertEqual(caught.exception.code, "CONNECTION_FAILED")
        self.assertEqual(len(Handler.bodies), 1)

    def test_a_batch_goes_on_where_its_answer_was_cut_off(self):
        line = '{"index": %d, "id": "r%d", "document": {"base64": "data:x;base64,UEs="}, "report": {}}\n'
        summary = '{"summary": {"rows": 2, "done": 2, "failed": 0}}\n'
        Handler.answers[:] = [
            (200, (line % (2, 2) + line % (0, 0) + '{"ind').encode(), {}),
            (200, (line % (1, 3) + "\n" + line % (0, 1) + summary).encode(), {}),
        ]
        rows = [{"id": f"r{number}", "data": {}} for number in range(4)]
        results = [(one.index, one.id, one.content) for one in self.client.batch(b"PK", rows)]
        self.assertEqual(results, [(2, "r2", b"PK"), (0, "r0", b"PK"), (3, "r3", b"PK"), (1, "r1", b"PK")])
        sent = [[row["id"] for row in json.loads(body)["rows"]] for body in Handler.bodies]
        self.assertEqual(sent, [["r0", "r1", "r2", "r3"], ["r1", "r3"]])


if __name__ == "__main__":
    unittest.main()
