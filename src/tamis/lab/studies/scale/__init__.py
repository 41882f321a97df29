"""Scale: engines against a bare loop and other tools, and a simulation of a very large job."""

from __future__ import annotations

from tamis.lab.studies.scale.simulation import (
    Cluster,
    Outcome,
    StragglersStudy,
    draw_tasks,
    simulate_job,
)
from tamis.lab.studies.scale.study import ScaleStudy, write_archives

__all__ = [
    "Cluster",
    "Outcome",
    "ScaleStudy",
    "StragglersStudy",
    "draw_tasks",
    "simulate_job",
    "write_archives",
]
