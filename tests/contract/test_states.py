"""The states of a message mean the same in the store, the commands and the documents."""

import re
from pathlib import Path

from attendd.cli import fates
from attendd.hot import fate

ROOT = Path(__file__).parents[2]


def test_every_state_has_a_meaning_and_every_meaning_a_state() -> None:
    ends = [each for each in fates.ENDS if each not in fate.ORDER]

    assert list(fates.MEANINGS) == [*fate.ORDER, *ends]


def test_the_table_in_the_document_has_them_in_their_order() -> None:
    text = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    table = text.partition("| state | means |")[2].partition("\n\n")[0]

    assert re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE) == list(fates.MEANINGS)
