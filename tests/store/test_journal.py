"""The journal answers questions asked later, and never costs anybody anything else."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from attendd.store import JournalRow
from attendd.store.journal import Journal, JournalReader
from tests.store import disks, given


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(file: Path) -> Iterator[Journal]:
    journal = Journal(file)
    yield journal
    journal.close()


@pytest.fixture
def reader(file: Path) -> Iterator[JournalReader]:
    reader = JournalReader(file)
    yield reader
    reader.close()


def entry(code: str, at: float = 1.0, **over: str) -> JournalRow:
    plain = JournalRow(
        at=at, kind="gate", code=code, session="s1", attachment="a1", sensor="git"
    )
    return msgspec.structs.replace(plain, **over)


def test_entries_are_found_by_batch_by_session_and_by_sensor(
    journal: Journal, file: Path
) -> None:
    entries = [
        entry("observed", kind="observation", text="HEAD moved", batch="k3f9q2xm"),
        entry("fired", batch="k3f9q2xm"),
        entry("held.gap", sensor="context"),
        entry("fired", batch="k4", session="s2"),
    ]
    assert journal.append(entries) == ""
    reader = JournalReader(file)

    assert reader.batch("k3") == entries[:2]
    assert reader.batch("k") == [entries[0], entries[1], entries[3]]
    assert reader.batch("") == [entries[0], entries[1], entries[3]]
    assert reader.recent(2) == entries[2:]
    assert reader.recent(9, session="s1") == entries[:3]
    assert reader.recent(9, session="s1", sensor="git", kind="gate") == entries[1:2]
    reader.close()


def test_entries_can_be_followed_by_their_numbers(journal: Journal, file: Path) -> None:
    entries = [entry("fired", float(at), session=f"s{at % 2}") for at in range(6)]
    journal.append(entries)
    reader = JournalReader(file)

    numbered = reader.entries()
    assert [row for _, row in numbered] == entries
    assert reader.entries(after=numbered[3][0]) == numbered[4:]
    assert reader.entries(session="s1", since=1.0, until=3.0) == [numbered[1], numbered[3]]
    assert reader.entries(limit=2) == numbered[4:]
    reader.close()


def test_silence_is_explained_by_what_was_held_since(journal: Journal, file: Path) -> None:
    told = [entry(code) for code in ("observed", "fired", "merged")]
    kept = [
        entry(code, 2.0)
        for code in (
            "held.gap",
            "held.below-threshold",
            "own",
            "faded",
            "low",
            "rode",
            "dropped.x",
        )
    ]
    journal.append([entry("held.gap", 0.5), *told, *kept, entry("own", 3.0, session="s2")])
    reader = JournalReader(file)

    assert reader.silence("s1", 1.0) == kept
    reader.close()


def test_a_journal_that_does_not_exist_has_no_entries(
    reader: JournalReader, tmp_path: Path
) -> None:
    assert reader.recent(9) == []
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_write_makes_no_file(journal: Journal, file: Path) -> None:
    assert journal.append([]) == ""
    assert not file.exists()


@pytest.mark.parametrize(
    "suffixes", [[""], ["", "-wal", "-shm"], ["", "-wal", "-shm", ".lock"]]
)
def test_it_can_be_deleted_at_any_moment(
    journal: Journal, file: Path, suffixes: list[str]
) -> None:
    journal.append([entry("before")])
    for suffix in suffixes:
        Path(f"{file}{suffix}").unlink()

    assert journal.append([entry("after")]) == ""

    reader = JournalReader(file)
    assert [at.code for at in reader.recent(9)] == ["after"]
    reader.close()
    assert journal.lost == 0


def test_a_reader_of_a_deleted_journal_goes_on(journal: Journal, file: Path) -> None:
    journal.append([entry("before")])
    reader = JournalReader(file)
    file.unlink()

    assert reader.recent(9) == []
    journal.append([entry("after")])
    assert reader.recent(9) == []
    reader.close()


def test_it_never_outgrows_its_cap_and_drops_the_oldest(file: Path) -> None:
    journal = Journal(file, cap_bytes=512 * 1024)
    sizes = []
    for number in range(300):
        journal.append([entry("fired", number, text="x" * 1000) for _ in range(10)])
        sizes.append(file.stat().st_size)
    reader = JournalReader(file)
    kept = reader.recent(10_000)
    journal.close()

    assert max(sizes) <= 512 * 1024
    assert kept[-1].at == 299
    assert 250 < len(kept) < 500
    assert [at.at for at in kept] == sorted(at.at for at in kept)
    reader.close()
    assert journal.lost == 0


def test_one_entry_larger_than_the_cap_is_no_trap(file: Path) -> None:
    journal = Journal(file, cap_bytes=64 * 1024)

    assert journal.append([entry("fired", text="x" * 200_000)]) == ""
    assert journal.append([entry("after")]) == ""
    journal.close()


def test_text_that_is_no_unicode_is_made_visible(journal: Journal, file: Path) -> None:
    journal.append([entry("observed", text="file \udcff added")])

    reader = JournalReader(file)
    assert reader.recent(1)[0].text == "file \\udcff added"
    reader.close()


def test_a_damaged_journal_is_begun_anew_and_said_once(journal: Journal, file: Path) -> None:
    journal.append([entry("before")])
    journal.close()
    file.write_bytes(b"no longer a database" * 100)

    said = [journal.append([entry("after")]), journal.append([entry("more")])]

    assert "was damaged and has been set aside" in said[0]
    assert said[1] == ""
    assert journal.lost == 0


def test_trouble_is_counted_said_once_and_its_end_too(journal: Journal, file: Path) -> None:
    file.mkdir()
    said = [journal.append([entry("lost")] * 3) for _ in range(3)]
    file.rmdir()
    after = [journal.append([entry("kept")]) for _ in range(2)]

    assert [text.partition(": ")[0] for text in said] == [
        "the journal is not being written",
        "",
        "",
    ]
    assert after == ["the journal is being written again; 9 entries were lost", ""]
    assert journal.lost == 9


def test_what_cannot_be_written_at_all_stops_nobody(journal: Journal) -> None:
    odd = msgspec.structs.replace(entry("fired"), detail=object())

    assert "not supported" in journal.append([odd])
    assert journal.append([entry("kept")]).endswith("1 entries were lost")


def test_a_full_disk_stops_nobody(tmp_path: Path) -> None:
    with disks.small(tmp_path / "disk", 512) as disk:
        journal = Journal(disk / "journal.db")
        said = [journal.append([entry("fired", text="x" * 5000)] * 5) for _ in range(40)]
        journal.close()

        assert sum("the disk is full" in text for text in said) == 1
        assert journal.lost > 0


def test_a_file_that_may_not_grow_stops_nobody(file: Path) -> None:
    """The same where no disk can be mounted; in a process of its own, for the limit's sake."""
    code = f"""
from attendd.store.journal import Journal, JournalRow
journal = Journal({str(file)!r})
row = JournalRow(at=1.0, kind="gate", code="fired", text="x" * 5000)
said = [journal.append([row] * 5) for _ in range(40)]
print(sum("not being written" in text for text in said), journal.lost > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=given.CHILD.parents[2],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)),
    )

    said, lost = done.stdout.split()
    assert (lost, done.stderr) == ("True", "")
    assert 1 <= int(said) <= 3  # a journal begun anew may have a little room again
