"""Messages are paced and never dropped, and have nothing to do with what events may."""

from tests.unit.attending import Session, books, event, message


def test_messages_pass_while_events_are_held() -> None:
    session = Session("git", "peers")
    for n in range(4):
        session.see("git", event(f"change {n}"))
    assert session.held("git") == "held.gap"

    batch = session.at(2).see("peers", message("hello"))

    assert [line.text for line in batch.lines] == ["hello"] if batch else False
    assert session.held("git") == "held.gap"


def test_messages_neither_tire_a_sensor_nor_take_its_events_along() -> None:
    session = Session("peers")
    session.see("peers", event("Ana came", 1.5))
    for n in range(5):
        session.at(n * 10).see("peers", message(f"message {n}"))
    assert session.held("peers") == "held.below-threshold"

    assert session.at(60).see("peers", event("Ben came", 1.7)) is not None


def test_a_hundred_messages_at_once_are_paced_and_all_told() -> None:
    session = Session("peers")
    session.see("peers", *(message(f"message {n}") for n in range(100)))

    session.settled()

    assert session.texts() == [f"message {n}" for n in range(100)]
    assert session.told[-1][0] <= 240
    books(session)
