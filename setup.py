"""Builds the kernel; everything else is in pyproject.toml.

The extensions are optional: without a C compiler the package installs all the same and the same
files run as plain Python, slower and with a warning.
"""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

TYPES = sorted(Path("src/tamis").glob("*/kernel/*.pxd"))

directives = {
    "language_level": 3,
    "infer_types": True,  # locals get C types from the attributes that .pxd files declare
    "annotation_typing": False,  # annotations are for type checkers
}
extensions = cythonize(
    [
        Extension(
            ".".join(types.relative_to("src").with_suffix("").parts),
            [str(types.with_suffix(".py"))],
            depends=[str(path) for path in TYPES],
            extra_compile_args=["-O3", "-g0"],
        )
        for types in TYPES
    ],
    include_path=["src"],
    build_dir="build",  # where the C files go, so that no wheel takes them along
    compiler_directives=directives,
)
for extension in extensions:
    extension.optional = True  # cythonize() loses it when it is given before

setup(ext_modules=extensions)
