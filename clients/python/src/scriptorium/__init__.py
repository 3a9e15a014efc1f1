"""A client of the document service: convert, fill, generate, merge, sign and verify."""

from .batch import BatchResult
from .client import Keys, Scriptorium
from .errors import ScriptoriumError
from .inputs import Input, Url
from .jobs import Jobs
from .results import Augmented, Converted, Filled, Generated, Linted, Made, Signed
from .webhooks import read_webhook

__all__ = [
    "Augmented",
    "BatchResult",
    "Converted",
    "Filled",
    "Generated",
    "Input",
    "Jobs",
    "Keys",
    "Linted",
    "Made",
    "Scriptorium",
    "ScriptoriumError",
    "Signed",
    "Url",
    "read_webhook",
]
