"""The SQL of the frontier."""

from __future__ import annotations

from functools import cache
from typing import Final

from tamis.store import Query, columns

_NUMBER, _REAL, _TEXT = columns.NUMBER, columns.REAL, columns.TEXT
_NULLABLE, _TEXT_OR_NULL = columns.NUMBER_OR_NULL, columns.TEXT_OR_NULL
_DIGEST_OR_NULL = columns.DIGEST_OR_NULL
_WAITING_CHECKS: Final = (_NUMBER, _NUMBER, _REAL)  # of id, host and priority
_MAX_DUE: Final = 1_000  # addresses that are made to wait at once

INSERT_CRAWL: Final = Query(
    "INSERT INTO crawl (key, settings, scope, started_at) VALUES (?, ?, ?, ?) RETURNING id",
    (_NUMBER,),
)
SELECT_CRAWL: Final = Query("SELECT id, scope FROM crawl WHERE key = ?", (_NUMBER, _TEXT))
SET_SCOPE: Final = Query("UPDATE crawl SET scope = ? WHERE id = ?")
INSERT_CRAWLER: Final = Query(
    "INSERT INTO crawler (crawl_id, machine, process, started_at, beat_at) VALUES (?, ?, ?, ?, ?) "
    "RETURNING id",
    (_NUMBER,),
)
SET_BEAT: Final = Query("UPDATE crawler SET beat_at = ? WHERE id = ?")
DELETE_CRAWLER: Final = Query("DELETE FROM crawler WHERE id = ?")
SELECT_CRAWLERS: Final = Query(
    "SELECT id, machine, process, beat_at FROM crawler WHERE crawl_id = ?",
    (_NUMBER, _TEXT, _TEXT, _NUMBER),
)
FREE_HOSTS_OF_CRAWLER: Final = Query("UPDATE crawl_host SET owner = NULL WHERE owner = ?")
SELECT_LEASED: Final = Query(
    "SELECT id, host_id, priority FROM crawl_address WHERE state = 1 AND owner = ?",
    _WAITING_CHECKS,
)
SET_WAITING: Final = Query("UPDATE crawl_address SET state = 0, owner = NULL WHERE id = ?")
ADD_WAITING: Final = Query(
    "UPDATE crawl_host SET waiting = waiting + ?, best = CASE WHEN waiting = 0 OR best < ? THEN ? "
    "ELSE best END WHERE id = ?"
)
SELECT_DUE: Final = Query(
    "SELECT id, host_id, priority FROM crawl_address "
    f"WHERE crawl_id = ? AND state = 4 AND ready_at <= ? ORDER BY ready_at LIMIT {_MAX_DUE}",
    _WAITING_CHECKS,
)
SELECT_FREE_HOSTS: Final = Query(
    "SELECT id, name, robots, robots_at FROM crawl_host WHERE crawl_id = ? AND waiting > 0 "
    "AND owner IS NULL AND ready_at <= ? ORDER BY best DESC, id LIMIT ?",
    (_NUMBER, _TEXT, _TEXT_OR_NULL, _NULLABLE),
)
LEASE_HOST: Final = Query("UPDATE crawl_host SET owner = ? WHERE id = ? AND owner IS NULL")
FREE_HOST: Final = Query(
    "UPDATE crawl_host SET owner = NULL, ready_at = ? WHERE id = ? AND owner = ?"
)
SELECT_NEXT: Final = Query(
    "SELECT id, url, kind, priority, depth, redirects, tries, etag, modified, "
    "body_digest, looks, outcome "
    "FROM crawl_address WHERE host_id = ? AND state = 0 ORDER BY priority DESC, id DESC LIMIT ?",
    (
        *(_NUMBER, _TEXT, _NUMBER, _REAL, *(_NUMBER,) * 3),
        *(_TEXT_OR_NULL, _TEXT_OR_NULL, _DIGEST_OR_NULL, _NUMBER, _TEXT_OR_NULL),
    ),
)
LEASE_ADDRESS: Final = Query("UPDATE crawl_address SET state = 1, owner = ? WHERE id = ?")
SUBTRACT_WAITING: Final = Query(
    "UPDATE crawl_host SET waiting = waiting - ?, best = ? WHERE id = ?"
)
SELECT_BEST_PRIORITY: Final = Query(
    "SELECT priority FROM crawl_address WHERE host_id = ? AND state = 0 "
    "ORDER BY priority DESC LIMIT 1",
    (_REAL,),
)
FINISH_ADDRESS: Final = Query(
    "UPDATE crawl_address SET state = 2, owner = NULL, outcome = ?, reason = ?, bytes = ?, "
    "etag = ?, modified = ?, body_digest = coalesce(?, body_digest), "
    "first_at = coalesce(first_at, ?), looked_at = ?, looks = looks + 1, "
    "changes = changes + ?, is_duplicate = coalesce(?, is_duplicate) "
    "WHERE id = ? AND state = 1 AND owner = ?"
)
FAIL_ADDRESS: Final = Query(
    "UPDATE crawl_address SET state = ?, owner = NULL, outcome = NULL, reason = ?, ready_at = ?, "
    "tries = tries + 1 WHERE id = ? AND state = 1 AND owner = ?"
)
MOVE_ADDRESS: Final = Query(
    "UPDATE crawl_address SET state = 0, owner = NULL, url = ?, redirects = redirects + 1 "
    "WHERE id = ? AND state = 1 AND owner = ?"
)
RELEASE_ADDRESS: Final = Query(
    "UPDATE crawl_address SET state = 0, owner = NULL WHERE id = ? AND state = 1 AND owner = ?"
)
SELECT_HOST: Final = Query("SELECT id FROM crawl_host WHERE crawl_id = ? AND name = ?", (_NUMBER,))
INSERT_HOST: Final = Query(
    "INSERT INTO crawl_host (crawl_id, name, waiting, best, ready_at) VALUES (?, ?, 0, 0, 0) "
    "RETURNING id",
    (_NUMBER,),
)
SET_ROBOTS: Final = Query("UPDATE crawl_host SET robots = ?, robots_at = ? WHERE id = ?")
INSERT_ADDRESS: Final = Query(
    "INSERT INTO crawl_address (id, crawl_id, host_id, url, kind, state, priority, depth, "
    "redirects) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SELECT_LAST_ADDRESS: Final = Query("SELECT coalesce(max(id), 0) FROM crawl_address", (_NUMBER,))
RAISE_PRIORITY: Final = Query(
    "UPDATE crawl_address SET priority = ?, depth = CASE WHEN depth < ? THEN depth ELSE ? END "
    "WHERE id = ?"
)
SELECT_NOT_TOO_DEEP: Final = Query(
    "SELECT id, host_id, priority FROM crawl_address "
    "WHERE crawl_id = ? AND state = 5 AND depth <= ?",
    _WAITING_CHECKS,
)
COUNT_STATES: Final = Query(
    "SELECT state, count(*) FROM crawl_address WHERE crawl_id = ? GROUP BY state",
    (_NUMBER, _NUMBER),
)
COUNT_PAGES: Final = Query(
    "SELECT count(*) FROM crawl_address WHERE crawl_id = ? AND state = 2 AND outcome IN "
    "('new', 'changed', 'unchanged')",
    (_NUMBER,),
)
COUNT_UNFINISHED: Final = Query(
    "SELECT (SELECT count(*) FROM crawl_address WHERE crawl_id = ? AND state = 1), "
    "(SELECT coalesce(sum(waiting), 0) FROM crawl_host WHERE crawl_id = ?), "
    "(SELECT count(*) FROM crawl_address WHERE crawl_id = ? AND state = 4), "
    "(SELECT min(ready_at) FROM crawl_address WHERE crawl_id = ? AND state = 4), "
    "(SELECT min(ready_at) FROM crawl_host WHERE crawl_id = ? AND waiting > 0)",
    (_NUMBER, lambda _: None, _NUMBER, _NULLABLE, _NULLABLE),
)
SELECT_CREDITS: Final = Query(
    "SELECT shape, credit FROM crawl_shape WHERE host_id = ?", (_TEXT, lambda _: None)
)
SET_CREDIT: Final = Query(
    "INSERT INTO crawl_shape (host_id, shape, credit) VALUES (?, ?, ?) "
    "ON CONFLICT (host_id, shape) DO UPDATE SET credit = excluded.credit"
)
SET_RECORDS: Final = Query(
    "INSERT INTO crawl_records (address_id, data) VALUES (?, ?) "
    "ON CONFLICT (address_id) DO UPDATE SET data = excluded.data"
)
# Files that are no pages ('other') are not looked at again.
SELECT_LOOKED_AT: Final = Query(
    "SELECT id, host_id, kind, first_at, looked_at, looks, changes FROM crawl_address "
    "WHERE crawl_id = ? AND state = 2 AND looked_at <= ? "
    "AND outcome IN ('new', 'changed', 'unchanged', 'redirect', 'duplicate', 'noindex', 'sitemap')",
    (_NUMBER, _NUMBER, _NUMBER, _NULLABLE, _NUMBER, _NUMBER, _NUMBER),
)
SELECT_LOOKED_AT_BEFORE: Final = Query(
    "SELECT id FROM crawl_address WHERE crawl_id = ? AND state IN (0, 1, 4) AND looks > 0 LIMIT 1",
    (_NUMBER,),
)
LOOK_AGAIN: Final = Query(
    "UPDATE crawl_address SET state = 0, priority = ?, tries = 0 WHERE id = ?"
)
SELECT_FAILED: Final = Query(
    "SELECT id, host_id, priority FROM crawl_address WHERE crawl_id = ? AND state = 3",
    _WAITING_CHECKS,
)


@cache
def select_addresses(count: int) -> Query:
    """Return the query for number, host, state, priority and depth of so many addresses."""
    return Query(
        "SELECT id, host_id, state, priority, depth FROM crawl_address "
        f"WHERE id IN ({', '.join('?' * count)})",
        (_NUMBER, _NUMBER, _NUMBER, _REAL, _NUMBER),
    )
