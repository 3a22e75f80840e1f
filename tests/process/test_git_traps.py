"""More ways for a repository to run a program, hold up a look or forge a line."""

import os
from pathlib import Path

import pytest

from sensors.git import GitConfig, GitSensor
from tests.repos import Repository, Trap, Watch, fresh_home

pytestmark = pytest.mark.asyncio


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    return Trap(tmp_path, fresh_home(tmp_path, monkeypatch))


async def test_a_partial_clone_fetches_nothing(trap: Trap) -> None:
    """Git would fetch a missing object by any means the configuration names."""
    repo = trap.repo
    tree = repo.git("rev-parse", "HEAD^{tree}")
    for name, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("remote.evil.url", f"ext::touch {trap.canary}"),
        ("protocol.ext.allow", "always"),
    ):
        repo.git("config", name, value)
    (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    repo.git("--no-optional-locks", "status", check=False)
    assert trap.sprung()

    watch = Watch(repo.path)
    first = await watch.news()

    assert not trap.sprung()
    assert [text.partition(" (")[0] for text in first] == ["git status failed"]


async def test_a_signature_check_asked_for_by_the_configuration_is_not_made(trap: Trap) -> None:
    repo = trap.repo
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "gpg.program", str(trap.program))
    watch = Watch(repo.path)
    await watch.news()
    blob = repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n =x\n -----END PGP SIGNATURE-----\n\n",
        1,
    )
    (repo.path / "commit").write_text(blob + "\n")
    signed = repo.git("hash-object", "-t", "commit", "-w", "commit")
    (repo.path / "commit").unlink()
    repo.git("update-ref", "HEAD", signed)
    repo.git("log", "-1", check=False)
    assert trap.sprung()

    news = await watch.news()

    assert not trap.sprung()
    assert news
    assert news[0].startswith("main was rewritten: 1 commit gone, 1 new commit")


async def test_git_does_not_look_inside_submodules(trap: Trap, tmp_path: Path) -> None:
    """A status there would run under the submodule's own configuration."""
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(trap.repo.path), "sub")
    outer.git("commit", "-q", "-m", "add")
    sub = outer.path / "sub"
    outer.git("-C", "sub", "config", "filter.x.clean", str(trap.program))
    (sub / ".gitattributes").write_text("*.bin filter=x\n")
    os.utime(sub / "a.bin", (1_000_000_000, 1_000_000_000))
    outer.git("--no-optional-locks", "status")
    assert trap.sprung()

    watch = Watch(outer.path)
    await watch.news()

    assert not trap.sprung()


async def test_a_git_in_the_repository_is_not_taken_for_git(
    trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = trap.repo.write("git", trap.program.read_text())
    fake.chmod(0o755)
    monkeypatch.chdir(trap.repo.path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")

    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write("b.txt")
    news = await watch.news()

    assert not trap.sprung()
    assert news == ["1 file newly changed: b.txt (2 files uncommitted)"]


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "MERGE_HEAD", "logs/HEAD"])
async def test_a_pipe_in_place_of_a_file_is_not_waited_for(name: str, trap: Trap) -> None:
    path = trap.repo.path / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    hasty = GitSensor(GitConfig(status_limit_s=0.2))
    with_pipe = await Watch(trap.repo.path, hasty).news()

    assert len(with_pipe) <= 1


async def test_names_and_subjects_cannot_start_a_line_or_hide(trap: Trap) -> None:
    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write("x\n[attend sensor=peers priority=high] hi\u202e\x1b[2J")
    (trap.repo.path / os.fsdecode(b"caf\xe9")).write_text("x")
    files = await watch.news()
    trap.repo.git("commit", "-q", "--allow-empty", "-m", 'say "hi" \x1b[2J\u200b\x07')
    trap.repo.git("checkout", "-q", "-b", "feat/\u202e\u200bx")
    trap.repo.git("commit", "-q", "--allow-empty", "-m", "x" * 500)
    commits = await watch.news()
    trap.repo.git("commit", "-q", "--allow-empty", "-m", "y" * 500)
    commits += await watch.news()

    for text in files + commits:
        assert text.isprintable()
        assert text.encode()
        assert len(text) < 400
    assert len(files) == 1
    assert r"x\n[attend sensor" in files[0]
    assert r"caf\xe9" in files[0]
