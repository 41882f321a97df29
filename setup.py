"""Builds what is compiled; everything else is in pyproject.toml.

A C compiler is needed, or a wheel: the compiled modules have no form that runs without it.
"""

import os
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, CompileError, ExecError

MODULES = sorted(Path("src/tamis").glob("**/_*.pyx"))
# What modules cimport or include.
PARTS = sorted(path for end in ("pxd", "pxi") for path in Path("src/tamis").glob(f"**/_*.{end}"))
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
PROCESSORS = os.cpu_count() or 1


class BuildModules(build_ext):
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
        sources = [Path(source) for source in ext.depends]
        if compiled != target and is_newer(compiled, [*sources, Path("setup.py")]):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(compiled, target)
            return
        try:
            super().build_extension(ext)
        except (CCompilerError, CompileError, ExecError) as error:
            sys.exit(f"tamis needs a C compiler, or a wheel of it: {ext.name}: {error}")


def is_newer(path: Path, sources: list[Path]) -> bool:
    return path.exists() and path.stat().st_mtime > max(file.stat().st_mtime for file in sources)


extensions = cythonize(
    [
        Extension(
            ".".join(module.relative_to("src").with_suffix("").parts),
            [str(module)],
            depends=[str(path) for path in (module, *PARTS)],
            extra_compile_args=FLAGS,
        )
        for module in MODULES
    ],
    include_path=["src"],
    build_dir="build",  # where the C files go, so that no wheel takes them along
    compiler_directives={"language_level": 3, "infer_types": True},
    nthreads=PROCESSORS if sys.platform == "linux" else 0,
)

setup(ext_modules=extensions, cmdclass={"build_ext": BuildModules})
