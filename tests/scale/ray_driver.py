"""A driver of Ray: python ray_driver.py OUTPUT INPUT… runs a job while one of its nodes is killed.

The job, the node that is killed and the poison pages are real. It prints the counts, and how many
nodes were alive when the job had ended; then the rows of a dataset with poison pages.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import ray as untyped_ray
from ray.cluster_utils import Cluster

from helpers.poison import KINDS, METHOD, poison_page
from scale.archives import PAGES
from scale.processes import wait_for
from tamis.scale import Options
from tamis.scale import ray as engine

ray: Any = untyped_ray  # parts of it have types, and others not


def count_nodes() -> int:
    """Return how many nodes are alive, as Ray knows it."""
    return sum(node["Alive"] for node in ray.nodes())


def main(output: str, *inputs: str) -> None:
    memory = {"object_store_memory": 80 << 20}
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **memory})
    node = cluster.add_node(num_cpus=1, **memory)
    ray.init(address=cluster.address, log_to_driver=False)

    def kill_node() -> None:
        wait_for(lambda: len(list(Path(output).glob("_drafts/*.parquet.*"))) > 1)
        cluster.remove_node(node, allow_graceful=False)

    options = Options(method=METHOD, deadline=1.0, memory=1 << 28)
    killer = threading.Thread(target=kill_node)
    killer.start()
    summary = engine.run_ray(inputs, output, options)
    killer.join()
    wait_for(lambda: count_nodes() == 1)  # Ray notices a dead node after some seconds only
    print(json.dumps({**summary.as_dict(), "alive": count_nodes()}))
    pages = [*PAGES, *map(poison_page, KINDS)]
    dataset = ray.data.from_items(
        [{"html": html, "number": number} for number, html in enumerate(pages)]
    )
    for row in engine.extract(dataset.repartition(3), options).take_all():
        print(json.dumps([row["number"], row["text"], row["error_kind"]]))
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
