"""What several pages of a site are good for: the study behind `tamis evaluate sites`."""
