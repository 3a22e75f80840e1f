"""A talk in which messages only answer messages is held, in a pair or a ring, and goes on."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from attendd.hot import db, fate, mail, moment, rings
from tests.process.box import Box, boxed
from tests.process.posting import Office


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        yield found


class Talk:
    """Names that talk to each other; each is shown what was said to it before it answers."""

    def __init__(self, box: Box, *names: str) -> None:
        self.office = Office(box)
        self.db = self.office.db
        for name in names:
            self.office.enrol(f"as:{name}")

    def shown(self, name: str) -> list[str]:
        """Show all that waits for a name; return the ids."""
        now = moment.now()
        found = mail.take(self.db, mail.waiting(self.db, (f"as:{name}",), now), "x", now)
        if found:
            fate.record(self.db, found, "x", now)
        return [letter.id for letter in found]

    def say(self, author: str, *to: str) -> str:
        words = [word for name in to for word in ("--to", name)]
        return self.office.say("well", *words, author=f"as:{author}")

    def depth(self, message: str) -> int:
        sql = "SELECT depth FROM message WHERE id = ?"
        return int(db.read(self.db, sql, (message,))[0][0])

    def held(self) -> list[str]:
        sql = "SELECT session FROM delivery WHERE hold = 'ping-pong' ORDER BY id"
        return [row[0] for row in db.read(self.db, sql)]

    def round(self, *names: str) -> list[str]:
        """Let each speak to the next, until one is shown nothing; return the messages."""
        said = [self.say(names[0], names[1])]
        for at in range(1, 40):
            author, to = names[at % len(names)], names[(at + 1) % len(names)]
            if not self.shown(author):
                break
            said.append(self.say(author, to))
        return said


@pytest.mark.parametrize("names", ["ab", "abc", "abcd"])
def test_a_talk_that_goes_round_is_held_at_the_sixth_answer(box: Box, names: str) -> None:
    talk = Talk(box, *names)

    said = talk.round(*names)

    assert [talk.depth(each) for each in said] == list(range(7))
    assert len(talk.held()) == 1


def test_what_goes_from_hand_to_hand_is_no_ring(box: Box) -> None:
    talk = Talk(box, *"abcdefghij")

    for author, to in pairwise("abcdefghij"):
        said = talk.say(author, to)
        assert talk.shown(to) == [said]

    assert talk.depth(said) == 8
    assert talk.held() == []


def test_others_than_those_in_the_ring_still_hear(box: Box) -> None:
    talk = Talk(box, *"abz")
    talk.round("a", "b")
    last = talk.held()[0].removeprefix("as:")
    author = "a" if last == "b" else "b"
    talk.shown(author)

    talk.say(author, last, "z")

    assert talk.held() == [f"as:{last}"] * 2
    assert len(talk.shown("z")) == 1


@pytest.mark.parametrize("who", ["author", "recipient"])
def test_something_real_lets_it_go_on(box: Box, who: str) -> None:
    talk = Talk(box, "a", "b")
    talk.round("a", "b")
    recipient = talk.held()[0]
    author = "as:a" if recipient == "as:b" else "as:b"

    real = author if who == "author" else recipient
    freed = db.write(talk.db, lambda db: rings.let_go(db, real))

    assert freed == [recipient]
    assert talk.held() == []
    assert len(talk.shown(recipient.removeprefix("as:"))) == 1
    if who == "author":
        assert talk.depth(talk.say(author.removeprefix("as:"), recipient[3:])) == 0


def test_a_persons_word_begins_anew(box: Box) -> None:
    talk = Talk(box, "a", "b")
    talk.round("a", "b")
    recipient = talk.held()[0].removeprefix("as:")

    talk.office.say("go on", "--to", recipient, author="tty:1:1")
    talk.shown(recipient)
    other = "a" if recipient == "b" else "b"
    assert talk.depth(talk.say(recipient, other)) == 1
