"""One thread that writes to the store, several pages in one transaction.

A commit costs as much as a page; a crawl has many pages that are ready at the same time. What was
handed in while a transaction ran is written by the next one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from tamis.store import Store, StoreWriter

_MAX_GROUP: Final = 64  # operations in one transaction

T = TypeVar("T")
_Operation = Callable[[StoreWriter], Any]


class Committer:
    """Runs operations on a store in the order in which they come, in a thread of its own.

    An operation may be run again, if another one of its transaction failed: it must change nothing
    but the store.
    """

    def __init__(self, store: Store, on_undo: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._on_undo = on_undo
        self._queue: SimpleQueue[tuple[_Operation, Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="tamis commits", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[StoreWriter], T]) -> Future[T]:
        """Hand in an operation; its result is there when it is stored for good."""
        future: Future[T] = Future()
        self._queue.put((operation, future))
        return future

    def close(self) -> None:
        """End when all that was handed in is stored."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_over = False
        while not is_over:
            entry = self._queue.get()
            group: list[tuple[_Operation, Future[Any]]] = []
            while entry is not None:
                if entry[1].set_running_or_notify_cancel():  # or else nobody waits for it
                    group.append(entry)
                if len(group) >= _MAX_GROUP or self._queue.empty():
                    break
                entry = self._queue.get()
            is_over = entry is None
            if group and not self._commit(group):
                for single in group:
                    self._commit([single], is_last_try=True)

    def _commit(
        self, group: list[tuple[_Operation, Future[Any]]], *, is_last_try: bool = False
    ) -> bool:
        """Run operations in one transaction; say whether that was possible."""
        try:
            with self._store.writing() as writer:
                results = [operation(writer) for operation, _ in group]
        except Exception as error:
            self._on_undo()
            if is_last_try or len(group) == 1:
                for _, future in group:
                    future.set_exception(error)
                return True
            return False
        for (_, future), result in zip(group, results, strict=True):
            future.set_result(result)
        return True
