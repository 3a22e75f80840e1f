"""An environment as they grow: hundreds of distributions, one of which runs at each start."""

import shutil
import sys
import sysconfig
import venv
from pathlib import Path

from benchmarks.place import ROOT

DISTRIBUTIONS = 300
_HOSTILE = "import sys, time; time.sleep(0.2); sys.stdout.write('noise\\n')\n"


def environment(folder: Path) -> str:
    """Make a virtual environment with attend in it; return the path of its `attend`."""
    venv.create(folder, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in ("attendd", "sensors", "disclosures"):
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, packages / name, ignore=skip)
    for at in range(DISTRIBUTIONS):
        info = packages / f"package{at}-1.0.dist-info"
        info.mkdir()
        text = f"Metadata-Version: 2.1\nName: package{at}\nVersion: 1.0\n"
        (info / "METADATA").write_text(text)
        (info / "entry_points.txt").write_text(
            f"[console_scripts]\ncommand{at} = package:main\n"
        )
    (packages / "zz_hostile.pth").write_text(_HOSTILE)
    attend = folder / "bin" / "attend"
    shutil.copyfile(ROOT / "bin" / "attend", attend)
    attend.chmod(0o755)
    sys.stdout.flush()
    return str(attend)
