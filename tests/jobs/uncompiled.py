"""Small inputs: to compile a plan costs more than to run it as it is."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Of Spark, for sessions of tests."""
