"""Spark reads tables of reports, and exported ones. `make fleet` installs it; elsewhere these tests are skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet_queries import FLEET, QUERIES, TABLES, comparable, export_fleet, parquet_database

from parsers.model.report import ReportError
from parsers.reporting.sql.database import Database

pytest.importorskip("pyspark", reason="Spark is not installed: `make fleet` does it and runs these tests")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from parsers.runtime.spark_source import CoffeetreeSource

    plain = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    session = SparkSession.builder.master("local[2]").config(map=plain).getOrCreate()
    session.dataSource.register(CoffeetreeSource)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    export_fleet(folder)
    return folder


@pytest.fixture(scope="module")
def exported(folder: Path) -> Iterator[Database]:
    with parquet_database(folder) as database:
        yield database


def of_reports(spark: Any, table: str) -> Any:
    """A table of the reports themselves."""
    return spark.read.format("coffeetree").option("table", table).load([str(path) for path in FLEET])


@pytest.fixture(scope="module", params=["reports", "files"])
def views(request: pytest.FixtureRequest, spark: Any, folder: Path) -> Any:
    """The session, with all tables as views over the reports or over the exported files."""
    for table in TABLES:
        is_report = request.param == "reports"
        rows = of_reports(spark, table) if is_report else spark.read.parquet(str(folder / table))
        rows.createOrReplaceTempView(table)
    return spark


@pytest.mark.parametrize("query", QUERIES)
def test_spark_answers_as_duckdb_does(query: str, views: Any, exported: Database):
    assert comparable(views.sql(query).collect()) == comparable(exported.run(query).rows())


def test_each_report_is_a_partition(spark: Any):
    assert of_reports(spark, "package").rdd.getNumPartitions() == len(FLEET)


def test_only_chosen_columns_are_read(spark: Any):
    pattern = str(FLEET[0].parent / "call_tree_*")
    reader = spark.read.format("coffeetree").option("table", "package")
    assert reader.option("columns", "name, build").load(pattern).columns == ["name", "build"]
    (row,) = reader.schema("build string, methods bigint").load(pattern).limit(1).collect()
    assert list(row.asDict()) == ["build", "methods"]


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "table"), ({"table": "methods"}, "method"), ({"table": "method", "columns": "nam"}, "name")],
)
def test_a_wrong_option_is_explained(options: dict[str, str], message: str):
    from parsers.runtime.spark_source import CoffeetreeSource

    with pytest.raises(ReportError, match=message):
        CoffeetreeSource({"path": str(FLEET[0]), **options}).schema()
