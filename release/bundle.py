"""Puts a wheel and all it depends on into one zip, for machines without a network.

    python release/bundle.py WHEEL FOLDER

The zip has a folder `coffeetree` with the command `coffeetree`. It needs the same version of Python as this one.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STARTER = """\
#!/bin/sh
# Starts the program from the folder beside this file.
here=$(dirname "$(readlink -f "$0")")
PYTHONPATH="$here/lib" exec "${{PYTHON:-python{version}}}" -P -m tui.app.main "$@"
"""


def main(wheel: str, target: str) -> None:
    """Writes the zip."""
    version = ".".join(platform.python_version_tuple()[:2])
    name = f"{Path(wheel).name.partition('-cp')[0]}-python{version}-{sys.platform}-{platform.machine()}"
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work, "coffeetree")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*command, "--target", str(folder / "lib"), wheel], check=True)
        starter = folder / "coffeetree"
        starter.write_text(STARTER.format(version=version))
        starter.chmod(0o755)
        Path(target).mkdir(parents=True, exist_ok=True)
        print(shutil.make_archive(str(Path(target, name)), "zip", work))


if __name__ == "__main__":
    main(*sys.argv[1:])
