"""What several pages of a site are good for: the study behind `tamis evaluate sites`."""

from tamis.evaluate.sites.study import Study, study

__all__ = ["Study", "study"]
