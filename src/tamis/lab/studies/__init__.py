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
    "speed": "tamis.lab.studies.speed:SpeedStudy",
    "layout": "tamis.lab.studies.layout:LayoutStudy",
    "records-time": "tamis.lab.studies.records:RecordsTimeStudy",
    "records-pages": "tamis.lab.studies.records:RecordsPagesStudy",
    "records-choice": "tamis.lab.studies.records:RecordsChoiceStudy",
    "records-halves": "tamis.lab.studies.records:RecordsHalvesStudy",
    "records-layout": "tamis.lab.studies.records:RecordsLayoutStudy",
    "patterns": "tamis.lab.studies.record_rules:PatternsStudy",
    "whole-records": "tamis.lab.studies.record_rules:WholeRecordsStudy",
    "script-bytes": "tamis.lab.studies.pages:ScriptBytesStudy",
    "noscript": "tamis.lab.studies.pages:NoscriptStudy",
    "hidden-text": "tamis.lab.studies.pages:HiddenTextStudy",
    "encodings": "tamis.lab.studies.pages:EncodingsStudy",
    "rendering": "tamis.lab.studies.pages:RenderingStudy",
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
