"""Methods whose arguments come from the contract of the service."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Mapping, TypeVar

from .options_gen import Options

Method = TypeVar("Method", bound=Callable[..., Any])


def takes(options: Options) -> Callable[[Method], Method]:
    """Shows each option as an argument of its own, before the ``**`` that takes all of them."""

    def decorate(method: Method) -> Method:
        signature = inspect.signature(method)
        *own, rest = signature.parameters.values()
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, (default, _) in options.items()
        ]
        setattr(method, "__signature__", signature.replace(parameters=[*own, *named, rest]))
        return described(options)(method)

    return decorate


def described(options: Options) -> Callable[[Method], Method]:
    """Adds the description of each option to the text that ``help()`` shows."""

    def decorate(method: Method) -> Method:
        lines = [f"{name}: {text}." for name, (_, text) in options.items()]
        method.__doc__ = "\n".join([inspect.cleandoc(method.__doc__ or ""), "", *lines])
        return method

    return decorate


def as_sent(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns options by the names of the API: ``break_`` is ``break``, which is a word of Python."""
    return {name.rstrip("_"): value for name, value in options.items()}
