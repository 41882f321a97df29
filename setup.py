"""Builds the kernels; everything else is in pyproject.toml.

The extensions are optional: without a C compiler the package installs all the same and the same
files run as plain Python, slower and with a warning.
"""

import os
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

TYPES = sorted(Path("src/tamis").glob("*/kernel/*.pxd"))
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
PROCESSORS = os.cpu_count() or 1

directives = {
    "language_level": 3,
    "infer_types": True,  # locals get C types from the attributes that .pxd files declare
    "annotation_typing": False,  # annotations are for type checkers
}


class BuildKernels(build_ext):
    """Compiles on all processors, and only what is not compiled in the source folder already.

    Compiling takes minutes. An editable install leaves its extensions beside their sources; a
    second install and a wheel take them from there as long as they are newer than all sources.
    """

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or PROCESSORS

    def build_extension(self, ext: Extension) -> None:
        target = Path(self.get_ext_fullpath(ext.name))
        compiled = Path("src", self.get_ext_filename(ext.name))
        source = Path("src", *ext.name.split(".")).with_suffix(".py")
        if compiled != target and is_newer(compiled, [source, *TYPES, Path("setup.py")]):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(compiled, target)
        else:
            super().build_extension(ext)


def is_newer(path: Path, sources: list[Path]) -> bool:
    return path.exists() and path.stat().st_mtime > max(file.stat().st_mtime for file in sources)


extensions = cythonize(
    [
        Extension(
            ".".join(types.relative_to("src").with_suffix("").parts),
            [str(types.with_suffix(".py"))],
            depends=[str(path) for path in TYPES],
            extra_compile_args=FLAGS,
        )
        for types in TYPES
    ],
    include_path=["src"],
    build_dir="build",  # where the C files go, so that no wheel takes them along
    compiler_directives=directives,
    nthreads=PROCESSORS if sys.platform == "linux" else 0,
)
for extension in extensions:
    extension.optional = True  # cythonize() loses it when it is given before

setup(ext_modules=extensions, cmdclass={"build_ext": BuildKernels})
