"""Scale: engines against a bare loop and other tools, a whole corpus, a very large job."""

from __future__ import annotations

from tamis.lab.studies.scale.simulation import (
    Cluster,
    Outcome,
    StragglersStudy,
    draw_tasks,
    simulate_job,
)
from tamis.lab.studies.scale.sites import ScaleSitesStudy, read_shuffles
from tamis.lab.studies.scale.study import ScaleStudy, write_archives
from tamis.lab.studies.scale.systems import ProcessorClock

__all__ = [
    "Cluster",
    "Outcome",
    "ProcessorClock",
    "ScaleSitesStudy",
    "ScaleStudy",
    "StragglersStudy",
    "draw_tasks",
    "read_shuffles",
    "simulate_job",
    "write_archives",
]
