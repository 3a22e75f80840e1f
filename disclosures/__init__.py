"""What attend teaches: one markdown file for each component.

A file begins with a TOML head between ``+++`` lines: ``order``, lower is taught first, and
``part``, the sensor that must have told something, or ``memory`` that must be on, before it is
worth its tokens; empty means always; and ``hooks``, whether only hooks tell it. The file's name
is the component's id.
"""

import tomllib
from pathlib import Path

from attendd.api import Component, hookimpl

_FENCE = "+++\n"


def parse(component_id: str, markdown: str) -> Component:
    """Read one file.

    Raises:
        ValueError: the head is missing, is not TOML or has other keys.
    """
    before, fence, rest = markdown.partition(_FENCE)
    head, end, text = rest.partition(_FENCE)
    if before or not fence or not end:
        raise ValueError(f"{component_id}.md: no head between +++ lines")
    values = tomllib.loads(head)
    unknown = sorted(values.keys() - {"order", "part", "hooks"})
    if unknown:
        raise ValueError(f"{component_id}.md: {unknown[0]}: unknown key")
    return Component(id=component_id, text=text.strip(), **values)


@hookimpl
def attend_disclosures() -> list[Component]:
    """Offer every text of this folder."""
    found = sorted(Path(__file__).parent.glob("*.md"))
    return [parse(path.stem, path.read_text("utf-8")) for path in found]
