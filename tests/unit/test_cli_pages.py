"""Pages of the inbox, counted as they are printed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.cli import letters, pages
from attendd.errors import UsageError
from attendd.hot import frame
from tests.unit.mailing import came
from tests.unit.odd_text import texts

bodies = st.builds(
    lambda unit, count: (unit * count).encode(),
    st.sampled_from(["x", "x\n", "a word ", "👩‍👩‍👧‍👦", "日本\n\n"]),
    st.integers(0, 12_000),
)


@given(st.lists(bodies, max_size=12), st.integers(1, 12), st.booleans())
def test_a_page_holds_what_fits_as_it_is_printed_and_at_least_one(
    sent: list[bytes],
    limit: int,
    as_json: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    found = [came(body) for body in sent]

    def printed(count: int) -> int:
        some = found[:count]
        if as_json:
            plain = [letters.plain(each) for each in some]
            return len(json.dumps({"messages": plain}, indent=2))
        return frame.units(
            "".join(f"{line}\n" for e in some for line in [*letters.block(e), ""])
        )

    page = pages.page(found, limit, as_json=as_json)

    assert page == found[: len(page)]
    assert len(page) <= limit
    assert bool(page) == bool(found)
    most = pages.CLIENT_CUTS if as_json else pages.CHARACTERS
    assert len(page) <= 1 or printed(len(page)) <= most
    if len(page) < min(limit, len(found)) and not as_json:
        assert printed(len(page) + 1) > pages.CHARACTERS


@given(bodies | texts.map(lambda text: text.encode("utf-8", "surrogatepass") * 300))
def test_the_parts_of_a_text_are_all_of_it_and_each_fits_a_page(body: bytes) -> None:
    found, first, shown = came(body), 1, list[str]()
    while True:
        part = pages.part(found, first)
        note = part.note("k3f9q2xm")
        assert pages.size([*part.lines, note]) <= pages.CHARACTERS + 1
        assert part.lines[0].startswith("#k3f9q2xm from ")
        shown += part.lines[1:]
        if part.last == part.total:
            break
        assert note.endswith(f"; the next: attend inbox k3f9q2xm --from {part.last + 1}")
        first = part.last + 1

    assert all(line.startswith("|") for line in shown)
    assert "".join(line[2:] for line in shown).replace(" ", "") == "".join(
        line[2:] for line in letters.text_lines(found.message)
    ).replace(" ", "")
    with pytest.raises(UsageError, match=f"has {part.total} lines"):
        pages.part(found, part.total + 1)


def test_what_a_page_has_room_for_is_printed_as_it_is() -> None:
    found = came(b"x" * (pages.CHARACTERS - 500))
    part = pages.part(found)

    assert part.whole
    assert part.lines == letters.block(found)
    assert part.note("k3f9q2xm") == ""
