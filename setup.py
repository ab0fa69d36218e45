"""What `pyproject.toml` has no words for: the wheel has machine code, for Python 3.11 and all later versions."""

import os
import platform

from setuptools import Distribution, setup


class WithMachineCode(Distribution):
    """A distribution whose wheel is for one kind of machine."""

    def has_ext_modules(self) -> bool:
        """True: the library of compiled kernels is an extension module, although setuptools doesn't build it."""
        return True


PLATFORMS = {
    "x86_64-linux": "manylinux_2_17_x86_64",
    "aarch64-linux": "manylinux_2_17_aarch64",
    "arm64-macos": "macosx_11_0_arm64",
}
"""Tags of wheels, by target of `kernel_build`."""

options = {"py_limited_api": "cp311"}
target = os.environ.get("COFFEETREE_TARGET", f"{platform.machine()}-{platform.system().lower()}")
if target in PLATFORMS:
    options["plat_name"] = PLATFORMS[target]
setup(distclass=WithMachineCode, options={"bdist_wheel": options})
