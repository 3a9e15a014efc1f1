"""The arguments of the client are the options of the service."""

import inspect
import unittest

from scriptorium import Scriptorium, options_gen
from scriptorium.described import as_sent


class OptionsTest(unittest.TestCase):
    def test_each_option_is_an_argument_with_its_default_and_its_description(self) -> None:
        for name in ("convert", "fill", "merge", "sign", "verify"):
            method = getattr(Scriptorium, name)
            arguments = inspect.signature(method).parameters
            for option, (default, text) in getattr(options_gen, f"{name.upper()}_OPTIONS").items():
                self.assertEqual(arguments[option].default, default)
                self.assertIn(f"{option}: {text}.", method.__doc__)
        for option in options_gen.GENERATE_OPTIONS:
            self.assertIn(f"\n{option}: ", Scriptorium.generate.__doc__ or "")

    def test_a_word_of_python_is_sent_as_the_service_knows_it(self) -> None:
        self.assertEqual(as_sent({"break_": "odd", "styles": "keep"}), {"break": "odd", "styles": "keep"})


if __name__ == "__main__":
    unittest.main()
