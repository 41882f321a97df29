"""The studies that `tamis evaluate` runs, and the registry of their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pkgutil import resolve_name
from typing import Final

from tamis.lab.datasets import Dataset
from tamis.lab.study import Study

__all__ = ["STUDIES", "find_study", "list_options", "study_dataset"]

# Studies by name. They are imported when they run, as some need extras that others do not.
STUDIES: Final[Mapping[str, str]] = {
    "sites": "tamis.lab.studies.sites:SitesStudy",
    "site-growth": "tamis.lab.studies.sites:GrowthStudy",
    "storage": "tamis.lab.studies.store:StorageStudy",
    "search": "tamis.lab.studies.store:SearchStudy",
    "metadata": "tamis.lab.studies.metadata:MetadataStudy",
}


def find_study(name: str) -> type[Study]:
    """Return the study of a name in STUDIES."""
    study: type[Study] = resolve_name(STUDIES[name])
    return study


def list_options(study: type[Study]) -> set[str]:
    """Return the names of what can be varied in a study."""
    return {field.name for field in fields(study)}  # type: ignore[arg-type]


def study_dataset(
    dataset: Dataset, methods: str | None = None, peers: str | None = None, *, fresh: bool = False
) -> Study:
    """Return the study of a data set: of segmenters where blocks are marked, else of methods."""
    if dataset.truth == "segments":
        from tamis.lab.studies.segments import SegmentsStudy

        return SegmentsStudy(dataset)
    from tamis.lab.studies.comparison import ComparisonStudy

    return ComparisonStudy(dataset, methods, peers, fresh)
