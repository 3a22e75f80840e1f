"""The host in a session and the service tell the same; a whole day is a figure of its own."""

from pathlib import Path

from benchmarks.day import KINDS, begun


def test_a_morning_is_the_same_line_for_line_in_a_session_and_as_a_service(
    tmp_path: Path,
) -> None:
    running = [begun(tmp_path, kind, until=9) for kind in KINDS]
    embedded, service = (process.communicate()[0] for process in running)

    assert [process.returncode for process in running] == [0, 0]
    assert len(embedded.splitlines()) > 50
    assert service == embedded
