"""Builds the kernel; everything else is in pyproject.toml.

The extension is optional: without a C compiler the package installs all the same and the same
file runs as plain Python, slower and with a warning.
"""

from Cython.Build import cythonize
from setuptools import Extension, setup

kernel = Extension(
    "tamis.page.kernel",
    ["src/tamis/page/kernel.py"],
    extra_compile_args=["-O3"],
    optional=True,
)

setup(ext_modules=cythonize([kernel]))
