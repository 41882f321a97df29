"""A crawl for another process: see `tamis.crawl.process`."""

from tamis.crawl.process import run_for_parent

if __name__ == "__main__":
    run_for_parent()
