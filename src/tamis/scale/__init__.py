"""Scale: the same extraction on one machine, on Spark, on Ray and in datatrove, exactly once.

    batches ──extract_batches──▶ batches          one row per page, whatever the page does
    inputs ──read──▶ batches ──extract──▶ a Parquet file per input, written aside and renamed

`extract_batches` is all the work there is, and `run_local` the reference; `tamis.scale.spark`,
`tamis.scale.ray` and `tamis.scale.datatrove` are thin adapters around it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tamis.errors import unavailable

for _name in ("pyarrow", "fsspec"):
    if find_spec(_name) is None:
        raise unavailable(f"scale needs {_name}", "scale")

if TYPE_CHECKING:
    from tamis.scale import datatrove, ray, spark
    from tamis.scale.batches import extract_batches, shared_pool
    from tamis.scale.duplicates import find_clusters
    from tamis.scale.inputs import InputFile, find_inputs
    from tamis.scale.job import Job, Summary, process_input
    from tamis.scale.local import run_local
    from tamis.scale.options import FORMATS, Options
    from tamis.scale.output import InputReport, OutputFolder
    from tamis.scale.pages import PageInput, build_extractor, open_pool
    from tamis.scale.reading import InputReader
    from tamis.scale.schema import output_schema
    from tamis.scale.sites import add_site_keys, extract_sites

# Public name → its module, which is imported when the name is first used: workers need no Arrow.
_MODULES = {
    "FORMATS": "options",
    "InputFile": "inputs",
    "InputReader": "reading",
    "InputReport": "output",
    "Job": "job",
    "Options": "options",
    "OutputFolder": "output",
    "PageInput": "pages",
    "Summary": "job",
    "add_site_keys": "sites",
    "build_extractor": "pages",
    "extract_batches": "batches",
    "extract_sites": "sites",
    "find_clusters": "duplicates",
    "find_inputs": "inputs",
    "open_pool": "pages",
    "output_schema": "schema",
    "process_input": "job",
    "run_local": "local",
    "shared_pool": "batches",
}

# Engines, each of which needs its own library.
_ENGINES = frozenset({"datatrove", "ray", "spark"})

__all__ = [
    "FORMATS",
    "InputFile",
    "InputReader",
    "InputReport",
    "Job",
    "Options",
    "OutputFolder",
    "PageInput",
    "Summary",
    "add_site_keys",
    "build_extractor",
    "datatrove",
    "extract_batches",
    "extract_sites",
    "find_clusters",
    "find_inputs",
    "open_pool",
    "output_schema",
    "process_input",
    "ray",
    "run_local",
    "shared_pool",
    "spark",
]


def __getattr__(name: str) -> object:
    """Return a name of this room, imported when it is first used."""
    if name in _ENGINES:
        return import_module(f"tamis.scale.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'tamis.scale' has no attribute {name!r}")
    return getattr(import_module(f"tamis.scale.{_MODULES[name]}"), name)
