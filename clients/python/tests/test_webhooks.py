"""Webhooks, by the vector that the libraries of Standard Webhooks share."""

import unittest

from scriptorium import read_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
AT = 1614265330
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def headers(**changes):
    signed = {"id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "timestamp": str(AT), "signature": SIGNATURE, **changes}
    return {f"Webhook-{name.title()}": value for name, value in signed.items()}


class WebhooksTest(unittest.TestCase):
    def test_reads_what_was_signed(self):
        self.assertEqual(read_webhook(SECRET, headers(), BODY, now=AT + 299), {"test": 2432232314})
        bare = SECRET.replace("whsec_", "")
        two = f"v1,bm9wZQ== v1a,bm9wZQ== {SIGNATURE}"
        self.assertEqual(read_webhook(bare, headers(signature=two), BODY, now=AT), {"test": 2432232314})

    def test_refuses_what_was_changed_and_what_is_old(self):
        for changed, body, now in [
            ({}, b'{"test": 2432232315}', AT),
            ({"id": "msg_other"}, BODY, AT),
            ({"timestamp": str(AT + 1)}, BODY, AT),
            ({"timestamp": ""}, BODY, AT),
            ({"timestamp": "²"}, BODY, AT),
            ({"signature": ""}, BODY, AT),
            ({"signature": SIGNATURE.replace("v1,", "v2,")}, BODY, AT),
            ({"signature": "v1,é"}, BODY, AT),
            ({}, BODY, AT + 301),
            ({}, BODY, AT - 301),
        ]:
            with self.subTest(changed=changed, body=body, now=now), self.assertRaises(ValueError):
                read_webhook(SECRET, headers(**changed), body, now=now)
        with self.assertRaises(ValueError):
            read_webhook("whsec_" + "A" * 32, headers(), BODY, now=AT)
        with self.assertRaises(ValueError):
            read_webhook(SECRET, {}, BODY)
