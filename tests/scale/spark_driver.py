"""A driver of Spark: python spark_driver.py MASTER OUTPUT INPUT… runs a job, and prints counts.

With `frame` as the output it extracts a DataFrame of pages that is in a Parquet file, with
`clusters` it finds the near duplicates among rows; both print a line for each page. With
`sites:FOLDER` it writes templates and near duplicates of inputs as tables, and prints counts.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from pyspark.sql import SparkSession

from helpers.poison import METHOD
from tamis.scale import Options, find_clusters, spark


def main(master: str, output: str, *inputs: str) -> None:
    builder = SparkSession.builder.master(master).appName("tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.heartbeatInterval": "2s",
        "spark.executor.memory": "512m",
        "spark.task.maxFailures": "10",
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "8",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    options = Options(method=METHOD, deadline=1.0, memory=1 << 28)
    if output == "frame":
        frame = session.read.parquet(*inputs).repartition(3)
        for row in spark.extract(frame, options).collect():
            print(json.dumps([row["number"], row["text"], row["error_kind"]]))
    elif output == "clusters":
        for row in find_clusters(session.read.parquet(*inputs)).collect():
            print(json.dumps([row["id"], row["cluster"], row["size"]]))
    elif output.startswith("sites:"):
        frame = spark.read_pages(session, inputs, options)
        for _ in range(2):  # the second time everything is there
            sites = spark.run_sites(frame, output.partition(":")[2], options)
            print(json.dumps(asdict(sites)))
    else:
        summary = spark.run_spark(inputs, output, options, session=session)
        print(json.dumps(summary.as_dict()))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
