"""What `pyproject.toml` has no words for: the wheel has machine code, for Python 3.11 and all later versions."""

import platform
import sys

from setuptools import Distribution, setup


class WithMachineCode(Distribution):
    """A distribution whose wheel is for one kind of machine."""

    def has_ext_modules(self) -> bool:
        """True: the library of compiled kernels is an extension module, although setuptools doesn't build it."""
        return True


options = {"py_limited_api": "cp311"}
if sys.platform == "linux":
    options["plat_name"] = f"manylinux_2_17_{platform.machine()}"
setup(distclass=WithMachineCode, options={"bdist_wheel": options})
