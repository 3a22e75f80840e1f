"""The words of a message's command line: what is text, what is an option, what is a mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import address
from attendd.hot.address import AddressError, parse

WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["--to", "--channel", "--focus", "--broadcast", "--re", "--as", "--", "-", "-h"]
        ),
        st.sampled_from(["--to=web", "--channel=#deploy", "--re=#k3f9q2xm", "--tto", "-x", ""]),
        st.text(max_size=6),
    ),
    max_size=8,
)


@given(WORDS)
def test_any_command_line_is_understood_or_refused_with_a_hint(words: list[str]) -> None:
    try:
        found = parse("send", words)
    except AddressError as error:
        fine = bool(error.args[0] and error.hint) and error.exit_code == 2
    else:
        fine = found.help or found.stdin or bool(found.words)

    assert fine


@given(WORDS)
def test_what_begins_with_a_dash_is_never_sent_as_text(words: list[str]) -> None:
    """Not before ``--``: a typo must not become a message."""
    literal = words[words.index("--") + 1 :] if "--" in words else []
    try:
        found = parse("send", words)
    except AddressError:
        return

    plain = found.words[: len(found.words) - len(literal)]
    if found.help:
        return
    assert found.words[len(plain) :] == literal
    assert [word for word in plain if word.startswith("-")] == []


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6))
def test_behind_two_dashes_everything_is_text(words: list[str]) -> None:
    assert parse("send", ["--to", "juno", "--", *words]).words == words


def test_recipients_add_up_and_options_may_follow_the_text() -> None:
    found = parse(
        "send",
        ["--to", "juno", "the build", "--to=/home/u/web", "is green", "--focus", "#Deploy"],
    )

    assert found.to == ["juno", "/home/u/web"]
    assert found.channels == ["deploy"]
    assert found.words == ["the build", "is green"]
    assert found.target == "juno /home/u/web #deploy"


@pytest.mark.parametrize("words", [["--to", "#deploy"], ["--channel", "deploy"]])
def test_a_channel_can_be_named_both_ways(words: list[str]) -> None:
    assert parse("send", [*words, "x"]).channels == ["deploy"]


@pytest.mark.parametrize(
    "words", [["--broadcast"], ["--channel", "open"], ["--to", "#Open"], ["--focus=#open"]]
)
def test_open_is_everybody(words: list[str]) -> None:
    found = parse("send", [*words, "x"])

    assert (found.broadcast, found.channels, found.target) == (True, [], "#open")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tto", "juno", "x"], "did you mean --to?"),
        (["--brodcast", "x"], "did you mean --broadcast?"),
        (["-v", "x"], "attend send -- -v"),
        (["--to"], "`attend send --help` says what it takes"),
        (["--to", "--channel", "x"], "`attend send --help` says what it takes"),
        (["--to=", "x"], "`attend send --help` says what it takes"),
        (["--broadcast=yes", "x"], "`attend send --help` says what it takes"),
        (["--broadcast", "--to", "juno", "x"], "leave out one or the other"),
        (["--re", "k3f9", "x"], "shows its id"),
        (
            ["--re", "k3f9q2xm", "--re", "a2b3c4d5", "x"],
            "`attend send --help` says what it takes",
        ),
        (["fix", "-", "later"], "put '--' before it"),
        (["--to", "juno"], "<<'EOF'"),
        ([], "<<'EOF'"),
    ],
)
def test_a_mistake_is_explained(words: list[str], said: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse("send", words)

    assert said in caught.value.hint


@pytest.mark.parametrize("text", ["#k3f9q2xm", "K3F9Q2XM", "#k3f9q2xm:", " k3f9q2xm "])
def test_an_id_is_taken_as_people_copy_it(text: str) -> None:
    assert parse("reply", ["--re", text, "yes"]).re == "k3f9q2xm"


def test_a_dash_alone_is_standard_input() -> None:
    assert parse("send", ["-", "--to", "juno"]).stdin
    assert not parse("send", ["--to", "juno", "--", "-"]).stdin


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["--to", "juno", "--help"]])
def test_help_needs_nothing_else(words: list[str]) -> None:
    assert parse("send", words).help


@pytest.mark.parametrize("name", ["deploy", "#deploy", "Deploy", "a", "v1.2-rc_3", "über"])
def test_a_channels_name_is_kept_in_lower_case(name: str) -> None:
    assert address.channel_name(name) == name.removeprefix("#").lower()


@pytest.mark.parametrize(
    "name",
    [
        "", "#", "_x", "@x", "-x", ".x", "..", "../x", "/etc", "a b", "a#b", "a:b", "a\nb",
        "\x1b[31m", "a\u202eb", "x" * 41, "a\u200bb", "\ud83d",
    ],
)  # fmt: skip
def test_what_could_lead_astray_is_no_channels_name(name: str) -> None:
    with pytest.raises(AddressError, match="can't be the name of a channel"):
        address.channel_name(name)


@given(st.text(max_size=50))
def test_a_channels_name_can_be_given_again(name: str) -> None:
    try:
        kept = address.channel_name(name)
    except AddressError:
        return

    assert address.channel_name(kept) == kept
    assert kept.isprintable()
    assert not set(kept) & set("/#:@ ")


def test_the_size_of_a_text_counts_in_utf_8() -> None:
    assert address.body_of(["ü" * 32_768]) == ("ü" * 32_768).encode()
    with pytest.raises(AddressError, match=r"65,538 bytes, and a message holds 65,536"):
        address.body_of(["ü" * 32_769])


@pytest.mark.parametrize("words", [[""], [" "], ["\n", "\t"]])
def test_a_text_of_nothing_is_refused(words: list[str]) -> None:
    with pytest.raises(AddressError, match="no text"):
        address.body_of(words)


@given(st.binary(min_size=1, max_size=40))
def test_bytes_that_are_no_text_come_through_as_they_are(body: bytes) -> None:
    words = [body.decode("utf-8", "surrogateescape")]
    if body.strip():
        assert address.body_of(words) == body


@pytest.mark.parametrize(
    "text",
    [
        "\u200b\u2060",
        "\u200b\n\ufeff",
        "\u3164",
        "\xa0\u2800",
        "\x1b[31m\x1b[0m",
        "\ufe0f\u034f",
    ],
)
def test_a_text_that_shows_nothing_is_none(text: str) -> None:
    with pytest.raises(AddressError, match="nothing of it can be seen"):
        address.checked(text.encode())


@pytest.mark.parametrize(
    "text", ["x", "é", "日本", "👍", "?", "\x07", "\u200bx", "\u0301", "-- ", "\x1b[31mx"]
)
def test_a_text_that_shows_something_is_kept_as_it_is(text: str) -> None:
    assert address.checked(text.encode()) == text.encode()
    assert address.checked(b"\xff\x00") == b"\xff\x00"
