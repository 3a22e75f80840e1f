"""The reference of the hooks is their docstrings; here it is held to its word."""

import inspect
import textwrap
from types import ModuleType

import pytest

from attendd import hookspecs, registry
from attendd.api import hookimpl

HOOKS = [name for name in vars(hookspecs) if name.startswith("attend_")]


@pytest.mark.parametrize("name", HOOKS)
def test_the_example_in_the_docstring_is_a_valid_plugin(name: str) -> None:
    doc = inspect.getdoc(getattr(hookspecs, name)) or ""
    code = textwrap.dedent(doc.partition("Example:\n")[2])
    plugin = ModuleType("example")
    exec(code, {"hookimpl": hookimpl}, vars(plugin))  # noqa: S102 - it is our own docstring
    manager = registry.load([]).manager
    manager.register(plugin)

    manager.check_pending()

    assert [call.name for call in manager.get_hookcallers(plugin) or []] == [name]


@pytest.mark.parametrize("name", HOOKS)
def test_every_argument_and_the_result_are_described(name: str) -> None:
    spec = getattr(hookspecs, name)
    doc = inspect.getdoc(spec) or ""
    signature = inspect.signature(spec)

    described = doc.partition("Args:\n")[2]

    assert [each for each in signature.parameters if f"{each}: " not in described] == []
    assert ("Returns:" in doc) == (signature.return_annotation is not None)
