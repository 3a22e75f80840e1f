"""The reference of the hooks is their docstrings; here it is held to its word."""

import inspect
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from attendd import hookspecs, registry
from attendd.api import Observation

HOOKS = [name for name in vars(hookspecs) if name.startswith("attend_")]
REFERENCE = Path(__file__).parents[2] / "docs/hooks.md"


@pytest.mark.parametrize("name", HOOKS)
def test_the_example_in_the_reference_is_a_whole_plugin_as_it_is_printed(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    part = REFERENCE.read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    _, code = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    (tmp_path / f"example_of_{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)

    loaded = registry.load([EntryPoint("example", f"example_of_{name}", registry.GROUP)])
    seen = Observation(text="a thing happened", topic="t")

    assert loaded.rejected == []
    assert loaded.emitted("s1", (seen,)) == []
    assert [bool(loaded.sensors), bool(loaded.components), loaded.listens("example")] == [
        name == hook for hook in ("attend_sensors", "attend_disclosures", "attend_emitted")
    ]
    for kind in loaded.sensors.values():
        kind.build(kind.config())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", HOOKS)
def test_every_argument_and_the_result_are_described(name: str) -> None:
    spec = getattr(hookspecs, name)
    doc = inspect.getdoc(spec) or ""
    signature = inspect.signature(spec)

    described = doc.partition("Args:\n")[2]

    assert [each for each in signature.parameters if f"{each}: " not in described] == []
    assert ("Returns:" in doc) == (signature.return_annotation is not None)
