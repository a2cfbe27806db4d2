"""Reads the configurations of a process's jobs, and refuses several that cannot share a Spark session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.spark_settings import spark_settings

_OF_EACH_JOB = "spark.app.name"


class ConfigurationError(ValueError):
    """A configuration cannot be read, or not be run in one process with those before it."""


def read_configurations(files: Sequence[Path], environment: Mapping[str, str]) -> list[JobConfig]:
    """Return the configurations in the order of their files.

    Parameters
    ----------
    environment
        As `kwitness.jobs.driver.spark_settings.spark_settings` reads it.

    Raises
    ------
    ConfigurationError
        Names the file, and what is wrong with it.
    """
    configs = [_read(file) for file in files]
    if len(configs) > 1:
        first = _session_of(configs[0], environment)
        for file, config in zip(files, configs, strict=True):
            if config.run.mode != "once":
                raise ConfigurationError(
                    f"{file}: run.mode is {config.run.mode}, so the jobs beside it would have no turn: give it a "
                    "process of its own, or let it run once"
                )
            if _session_of(config, environment) != first:
                raise ConfigurationError(
                    f"{file}: executors, storage or the kind of storage are others than in {files[0]}, and jobs of one "
                    "process share its Spark session: give it a process of its own"
                )
    return configs


def _read(file: Path) -> JobConfig:
    try:
        return JobConfig.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigurationError(f"{file}: {error}") from error


def _session_of(config: JobConfig, environment: Mapping[str, str]) -> Any:
    """What a session is made of, without the job's name."""
    settings = spark_settings(config, environment)
    return {name: value for name, value in settings.items() if name != _OF_EACH_JOB}, config.storage.keys_folder
