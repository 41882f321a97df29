"""The studies that `tamis evaluate` runs, and the registry of their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pkgutil import resolve_name
from typing import Final

from tamis.lab.datasets import Dataset
from tamis.lab.studies.metadata import (
    MetadataAnswer,
    MetadataScore,
    MetadataStudy,
    domain_half,
    is_right,
    metadata_table,
    score_metadata,
    word_f1,
)
from tamis.lab.studies.reader import (
    Difference,
    compare_with_reference,
    minimise,
    mutate_pages,
)
from tamis.lab.studies.segments import (
    SegmentsStudy,
    choose_elsewhere,
    measure_segments,
    segmentation_tables,
    visual_grid,
)
from tamis.lab.studies.structure import StructureStudy
from tamis.lab.study import Study

__all__ = [
    "STUDIES",
    "Difference",
    "MetadataAnswer",
    "MetadataScore",
    "MetadataStudy",
    "SegmentsStudy",
    "StructureStudy",
    "choose_elsewhere",
    "compare_with_reference",
    "domain_half",
    "find_study",
    "is_right",
    "list_options",
    "measure_segments",
    "metadata_table",
    "minimise",
    "mutate_pages",
    "score_metadata",
    "segmentation_tables",
    "study_dataset",
    "visual_grid",
    "word_f1",
]

# Studies by name. They are imported when they run, as some need extras that others do not.
STUDIES: Final[Mapping[str, str]] = {
    "papers": "tamis.lab.studies.papers:PapersStudy",
    "sites": "tamis.lab.studies.sites:SitesStudy",
    "site-growth": "tamis.lab.studies.sites:GrowthStudy",
    "site-domains": "tamis.lab.studies.sites:SiteDomainsStudy",
    "storage": "tamis.lab.studies.store:StorageStudy",
    "search": "tamis.lab.studies.store:SearchStudy",
    "crawl": "tamis.lab.studies.crawl:CrawlStudy",
    "crawl-speed": "tamis.lab.studies.crawl:CrawlSpeedStudy",
    "frontier": "tamis.lab.studies.crawl:FrontierStudy",
    "metadata": "tamis.lab.studies.metadata:MetadataStudy",
    "structure": "tamis.lab.studies.structure:StructureStudy",
    "scale": "tamis.lab.studies.scale:ScaleStudy",
    "scale-sites": "tamis.lab.studies.scale:ScaleSitesStudy",
    "stragglers": "tamis.lab.studies.scale:StragglersStudy",
    "serve": "tamis.lab.studies.serve:ServeStudy",
    "reader": "tamis.lab.studies.reader:ReaderStudy",
    "speed": "tamis.lab.studies.speed:SpeedStudy",
    "layout": "tamis.lab.studies.layout:LayoutStudy",
    "records-time": "tamis.lab.studies.records:RecordsTimeStudy",
    "records-pages": "tamis.lab.studies.records:RecordsPagesStudy",
    "records-choice": "tamis.lab.studies.records:RecordsChoiceStudy",
    "records-folds": "tamis.lab.studies.record_folds:RecordsFoldsStudy",
    "records-listed": "tamis.lab.studies.record_listed:RecordsListedStudy",
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
        return SegmentsStudy(dataset)
    from tamis.lab.studies.comparison.study import ComparisonStudy

    return ComparisonStudy(dataset, methods, peers, fresh)
