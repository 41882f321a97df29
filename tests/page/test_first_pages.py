"""Threads that read the first pages of a process at the same time."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import threading, tamis
start, texts = threading.Barrier(8), []
def read():
    start.wait()
    texts.append(tamis.parse("<p>caf&eacute; <b>&notin;</b></p>").text)
threads = [threading.Thread(target=read, daemon=True) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*set(texts), len(texts))
"""


@pytest.mark.parametrize("attempt", range(4))
def test_threads_that_begin_together_fill_the_tables_once(attempt: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout == "café ∉ 8\n"
