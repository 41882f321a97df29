"""Near duplicates on Spark: MinHash bands as a join, then clusters of what is similar.

Two signatures whose values agree in a whole band meet in one bucket. Pairs of a bucket are verified
by their signatures, and pairs that share a page are one cluster. A bucket of very many pages is not
compared pair by pair: each of its pages is compared with the first and with the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tamis.errors import InputError
from tamis.store import MIN_SIMILARITY, similarity

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BANDS: Final = 16  # as many as find 99 % of the pairs of similarity 0.8, with 4 values each
_BAND_BYTES: Final = 16
_MAX_BUCKET: Final = 64  # pages that are compared pair by pair
_MAX_ROUNDS: Final = 50  # of spreading the least id of a cluster


def find_clusters(
    rows: DataFrame, *, id_column: str = "url", min_similarity: float = MIN_SIMILARITY
) -> DataFrame:
    """Return id, cluster and size for each page: pages of one cluster are nearly the same.

    `rows` are those of an extraction; ids are unique. A cluster is named by its least id. Pages
    without a signature, which have few words, are duplicates if their texts are equal.
    """
    missing = {id_column, "minhash", "text"} - set(rows.columns)
    if missing:
        raise InputError(f"the rows have no column {', '.join(sorted(missing))}: take all of them")
    from pyspark.sql import functions as f

    pages = rows.where(f.col("text").isNotNull() & (f.col("text") != "")).select(
        f.col(id_column).alias("id"),
        f.coalesce("minhash", f.sha2("text", 256).cast("binary")).alias("signature"),
        f.col("minhash").isNotNull().alias("is_signed"),
    )
    # Equal signatures are one page from here on: most copies are exact.
    unique = pages.groupBy("signature").agg(
        f.min("id").alias("first"), f.first("is_signed").alias("is_signed")
    )
    unique = unique.localCheckpoint()
    signed = unique.where("is_signed").select(f.col("first").alias("id"), "signature")
    edges = _similar_pairs(signed, min_similarity)
    labels = _spread_labels(unique.select(f.col("first").alias("id")), edges)
    named = pages.join(unique, "signature").join(labels.withColumnRenamed("id", "first"), "first")
    sizes = named.groupBy("cluster").agg(f.count("*").alias("size"))
    return named.select("id", "cluster").join(sizes, "cluster").select("id", "cluster", "size")


def _similar_pairs(signed: DataFrame, min_similarity: float) -> DataFrame:
    """Return the pairs of ids whose signatures are similar, the lesser id first."""
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    bands = f.array(
        *(
            f.struct(
                f.lit(number).alias("band"),
                f.substring("signature", 1 + number * _BAND_BYTES, _BAND_BYTES).alias("key"),
            )
            for number in range(_BANDS)
        )
    )
    entries = signed.select("id", f.explode(bands).alias("entry")).select("id", "entry.*")
    bucket = Window.partitionBy("band", "key")
    entries = entries.select(
        "*",
        f.count("*").over(bucket).alias("count"),
        f.min("id").over(bucket).alias("first"),
        f.lag("id").over(bucket.orderBy("id")).alias("before"),
    ).where("count > 1")
    small = entries.where(f.col("count") <= _MAX_BUCKET).select("band", "key", "id")
    pairs = small.withColumnRenamed("id", "a").join(
        small.withColumnRenamed("id", "b"), ["band", "key"]
    )
    large = entries.where(f.col("count") > _MAX_BUCKET)
    candidates = (
        pairs.select("a", "b")
        .union(large.select(f.col("first").alias("a"), f.col("id").alias("b")))
        .union(large.select(f.col("before").alias("a"), f.col("id").alias("b")))
        .where("a < b")
        .distinct()
    )
    left = signed.select(f.col("id").alias("a"), f.col("signature").alias("left"))
    right = signed.select(f.col("id").alias("b"), f.col("signature").alias("right"))
    joined = candidates.join(left, "a").join(right, "b").select("a", "b", "left", "right")
    check = partial(_keep_similar, min_similarity)
    return joined.mapInArrow(check, candidates.schema)


def _keep_similar(
    min_similarity: float, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the pairs whose signatures are similar enough."""
    for batch in batches:
        signatures = zip(
            *(batch.column(name).to_pylist() for name in ("left", "right")), strict=True
        )
        is_similar = [similarity(a, b) >= min_similarity for a, b in signatures]
        yield batch.select(["a", "b"]).filter(pa.array(is_similar, pa.bool_()))


def _spread_labels(pages: DataFrame, edges: DataFrame) -> DataFrame:
    """Return the cluster of each page: the least id that a chain of pairs leads to."""
    from pyspark.sql import functions as f

    both = edges.union(edges.select(f.col("b").alias("a"), f.col("a").alias("b"))).localCheckpoint()
    labels = pages.select("id", f.col("id").alias("cluster"))
    for _ in range(_MAX_ROUNDS):
        nearest = (
            both.join(labels.withColumnRenamed("id", "b"), "b")
            .groupBy(f.col("a").alias("id"))
            .agg(f.min("cluster").alias("nearest"))
        )
        joined = labels.join(nearest, "id", "left").localCheckpoint()
        changed = joined.where("nearest < cluster").limit(1).count()
        least = f.least("cluster", f.coalesce("nearest", "cluster"))
        labels = joined.select("id", least.alias("cluster"))
        if not changed:
            break
    return labels
