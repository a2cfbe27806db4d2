"""Lists a bucket with Hadoop's client of object stores, as drivers and executors have it, and without Spark."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pyspark

from kwitness.e2e.object_store import REGION, ObjectStore
from kwitness.images.s3a_jars import s3a_jars
from kwitness.sandbox.waiting import run_to_end


def list_bucket(
    store: ObjectStore, folder: Path, *, endpoint: str = "", options: str = "", settings: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[str]:
    """List the bucket `tables`; ``options`` are those of Java, ``settings`` those of Hadoop beside the store's."""
    everything = {
        "fs.s3a.endpoint": endpoint or store.endpoint,
        "fs.s3a.endpoint.region": REGION,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": store.keys.access,
        "fs.s3a.secret.key": store.keys.secret,
        "fs.s3a.attempts.maximum": "1",
        "fs.s3a.retry.limit": "0",
        **settings,
    }
    properties = (
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in everything.items()
    )
    (folder / "core-site.xml").write_text(f"<configuration>{''.join(properties)}</configuration>")
    jars = (Path(pyspark.__file__).with_name("jars"), s3a_jars())
    classes = os.pathsep.join([str(folder), *(f"{place}/*" for place in jars)])
    command = ["java", "-cp", classes, "org.apache.hadoop.fs.FsShell", "-ls", "s3a://tables/"]
    return run_to_end(command, env={**os.environ, "JDK_JAVA_OPTIONS": options})
