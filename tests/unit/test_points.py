"""The cheap way to entry points finds what the library finds."""

import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from attendd import points
from attendd.registry import GROUP

Found = list[tuple[str, str, str]]


def distribution(folder: Path, name: str, entries: str, *, kind: str = "dist-info") -> None:
    about = folder / f"{name.replace('-', '_')}-1.0.{kind}"
    about.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\nName: in the body\n"
    (about / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(text)
    (about / "entry_points.txt").write_text(entries)


def ours() -> Found:
    return sorted((p.name, p.value, p.dist.name) for p in points.find(GROUP) if p.dist)


def theirs() -> Found:
    found = metadata.entry_points(group=GROUP)
    return sorted((p.name, p.value, p.dist.name) for p in found if p.dist)


def test_in_this_environment_it_finds_what_the_library_finds() -> None:
    assert ours() == theirs()
    assert ("git", "sensors.git", "attendd") in ours()


def test_odd_distributions_are_read_as_the_library_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    distribution(
        one, "my-plugin", "[attend]\na = my.plugin\n  b=my.plugin:obj.part [extra]  \n"
    )
    distribution(one, "Legacy.Plugin", "# words\n[attend]\nc = legacy\n", kind="egg-info")
    distribution(one, "other", "[attending]\nx = y\n\n[console_scripts]\nattend = z\n")
    distribution(one, "commented", "[attend]\n#d = not\n\ne = e\n[console_scripts]\nf = f\n")
    distribution(two, "my-plugin", "[attend]\nshadowed = a\n")
    distribution(two, "legacy-plugin", "[attend]\nshadowed = b\n")
    (two / "empty-1.0.dist-info").mkdir()
    (two / "file-1.0.egg-info").write_text("Name: file\n")
    monkeypatch.setattr(sys, "path", [str(one), str(tmp_path / "none"), str(two)])

    assert ours() == theirs()
    assert [name for name, _, _ in ours()] == ["a", "b", "c", "e"]


def test_where_an_archive_is_on_the_path_the_library_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("packed-1.0.dist-info/METADATA", "Name: packed\nVersion: 1.0\n")
        file.writestr("packed-1.0.dist-info/entry_points.txt", "[attend]\np = packed\n")
    monkeypatch.setattr(sys, "path", [str(archive)])

    assert ours() == [("p", "packed", "packed")]


@pytest.mark.parametrize("name", ["attendd", "detect-secrets", "Detect.Secrets"])
def test_a_version_is_what_the_library_says(name: str) -> None:
    assert points.version(name) == metadata.version(name)


def test_what_is_not_installed_has_no_version() -> None:
    with pytest.raises(ImportError, match="no-such-thing is not installed"):
        points.version("no-such-thing")


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("os.path", "os.path"),
        ("os.path:join", "os.path.join"),
        (" sys : version_info.major ", "sys.version_info.major"),
        ("os.path:join [extra]", "os.path.join"),
    ],
)
def test_what_a_point_names_is_imported(value: str, named: str) -> None:
    module, _, _ = named.rpartition(".")
    expected = metadata.EntryPoint("x", value.strip().replace(" : ", ":"), GROUP).load()

    assert points.Point("x", value, None).load() == expected
    assert module


def test_what_cannot_be_imported_says_so() -> None:
    with pytest.raises(ModuleNotFoundError):
        points.Point("x", "no_such_module_of_anybody", None).load()
