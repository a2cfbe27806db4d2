"""The variant of the Spark image for object stores, built: how much larger it is, and that its Java reaches a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.e2e.object_store import REGION, ObjectStore
from kwitness.images import container_engine
from kwitness.images.builder import build_all
from kwitness.images.image_recipes import DEVELOPED

from tests import soak
from tests.images.test_s3a_jars import MOST_BYTES

pytestmark = [pytest.mark.node, pytest.mark.soak, soak.alone]  # it needs a container engine

JARS = "/opt/spark-python/pyspark/jars/*"


def test_the_image_is_few_bytes_larger_and_writes_into_a_bucket(tmp_path: Path) -> None:
    built = build_all({name: DEVELOPED[name] for name in ("spark", "spark-s3a")})

    smaller, larger = (int(container_engine.docker("inspect", "--format={{.Size}}", image)) for image in built.values())
    assert 0 < larger - smaller < MOST_BYTES
    with ObjectStore() as store:
        store.make_bucket("tables")
        keys = {"AWS_ACCESS_KEY_ID": store.keys.access, "AWS_SECRET_ACCESS_KEY": store.keys.secret}
        variables = [f"--env={name}={value}" for name, value in keys.items()]
        told = {"endpoint": store.endpoint, "endpoint.region": REGION, "path.style.access": "true"}
        settings = [word for name, value in told.items() for word in ("-D", f"fs.s3a.{name}={value}")]
        conf = tmp_path / "conf"
        conf.mkdir()  # which the image's user may read: pytest's own folder is for nobody else
        (conf / "core-site.xml").write_text("<configuration/>")
        mount = f"--volume={conf}:/conf:ro"
        shell = ["java", "-cp", f"/conf:{JARS}", "org.apache.hadoop.fs.FsShell", *settings]
        written = [*shell, "-put", "/etc/hostname", "s3a://tables/file"]
        container_engine.docker("run", "--rm", "--network=host", mount, *variables, built["spark-s3a"], *written)
        assert store.has("tables/file")
