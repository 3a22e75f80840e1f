"""What `docs/uninstall.md` removes is all that attend makes."""

import os
import subprocess
import sys
from pathlib import Path

from attendd.hot import places
from tests.process.box import Box, boxed, eventually

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/uninstall.md").read_text()
REMOVING = TEXT.partition("<!-- remove -->")[2].partition("```sh\n")[2].partition("```")[0]
SHARED = ("/tmp/attend-", "/var/tmp/attend-")  # noqa: S108 - other attends of this user use these


def usual(box: Box) -> dict[str, str]:
    """Return an environment in which nothing says where attend's things are but the home."""
    del box.env["ATTEND_HOME"]
    for name in ("runtime", "tmp"):
        (box.home / name).mkdir(mode=0o700)
    box.env["XDG_RUNTIME_DIR"] = str(box.home / "runtime")
    box.env["TMPDIR"] = str(box.home / "tmp")
    return box.env


def test_nothing_is_left_of_what_a_session_a_build_and_the_launcher_made(
    tmp_path: Path,
) -> None:
    with boxed(tmp_path / "h") as box:
        env = usual(box)
        before = set(box.home.rglob("*"))
        box.run("config", "init")
        reader = box.reader(box.home, "--as", "one")
        reader.out.line()
        eventually((box.home / "runtime" / "attend").is_dir)
        box.hot("build", "--", "true", cwd=box.home)
        lone = box.home / "lone"
        lone.write_text((ROOT / "bin" / "attend").read_text())
        path = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
        asked = ["sh", str(lone), "--version"]
        subprocess.run(asked, env=env | {"PATH": path}, check=True, capture_output=True)
        lone.unlink()
        (box.home / "tmp" / f"attend-{os.geteuid()}.spool").mkdir()
        reader.end()
        made = {str(path.relative_to(box.home)) for path in set(box.home.rglob("*")) - before}

        lines = [line for line in REMOVING.splitlines() if not any(s in line for s in SHARED)]
        subprocess.run(["sh", "-c", "\n".join(lines)], env=env, check=True)

        left = [path for path in set(box.home.rglob("*")) - before if path.is_file()]
        assert {".local/state/attend/attend.db", ".config/attend", ".cache/attend"} <= made
        assert left == []
        assert [path for path in box.home.rglob("*attend*") if path not in before] == []


def test_the_folders_outside_of_the_home_are_named() -> None:
    uid = os.geteuid()
    temporary = os.environ.get("TMPDIR", "").rstrip("/") or places.TMP
    said = REMOVING.replace("$(id -u)", str(uid)).replace("${TMPDIR:-/tmp}", temporary)

    assert f'"{places.VAR_TMP}/attend-{uid}"' in said
    assert f'"{places.TMP}/attend-{uid}"' in said
    for spool in places.spools("/project")[:2]:
        assert f'"{spool}"' in said
    assert f".attend-{uid}.spool" in places.spools("/project")[2]
