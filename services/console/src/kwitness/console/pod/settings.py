"""Settings of the console's pod: one JSON file, which the chart renders into a mounted ConfigMap."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from kwitness.console.sign_in.settings import SignInSettings
from kwitness.contracts.endpoints import CONSOLE_PORT, PROBE_PORT
from kwitness.runtime.settings_file import read_settings

__all__ = [
    "DEFAULT_SETTINGS_FILE",
    "ConsoleSettings",
    "KafkaClusterName",
    "TlsSettings",
    "load_settings",
]

DEFAULT_SETTINGS_FILE: Final = Path("/etc/kwitness/console/settings.json")
"""The key ``settings.json`` of the ConfigMap ``kwitness-console``, as the chart mounts it."""


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class KafkaClusterName(_Settings):
    """A KafkaCluster."""

    namespace: str = Field(min_length=1, description="Namespace of the KafkaCluster whose clients are shown.")
    name: str = Field(min_length=1, description="Its name.")


class TlsSettings(_Settings):
    """How browsers connect: by TLS, or in plaintext from a proxy that ends TLS."""

    certificate_file: str | None = Field(None, description="Certificate, PEM; read again when it is renewed.")
    key_file: str | None = Field(None, description="Its private key, PEM.")
    plaintext: bool = Field(
        default=False, description="Whether connections are not encrypted, since a proxy in front of the pod ends TLS."
    )

    @model_validator(mode="after")
    def _one_way(self) -> TlsSettings:
        given = (self.certificate_file is not None, self.key_file is not None)
        if given != (not self.plaintext, not self.plaintext):
            raise ValueError("give both certificateFile and keyFile, or plaintext: true where a proxy ends TLS")
        return self


class ConsoleSettings(_Settings):
    """All settings of the console's pod."""

    kafka_cluster: KafkaClusterName = Field(description="The KafkaCluster whose clients are shown.")
    token_file: Path = Field(
        Path("/var/run/secrets/kwitness/collector/token"),
        description="Token of the pod's account for the audience of the collector's inventory; renewed by the kubelet.",
    )
    collector_address: str | None = Field(
        None, description="HOST:PORT at which the collector is reached; by default its Service."
    )
    prometheus: str = Field(
        "", pattern=r"^(https?://\S+)?$", description="Address of a Prometheus whose series pages show; empty: none."
    )
    tables: str = Field(
        "", description="Folder whose tables of analyses are shown without an AnalyticsJob too; empty: none."
    )
    sign_in: SignInSettings = Field(description="Ways to sign in.")
    tls: TlsSettings = Field(description="How browsers connect.")
    host: str = Field("0.0.0.0", description="Address to listen on.")  # noqa: S104 - browsers are elsewhere
    port: int = Field(CONSOLE_PORT, ge=0, description="Port of the pages.")
    probe_port: int = Field(PROBE_PORT, ge=0, description="Port of /metrics, /healthz and /readyz.")
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level that is logged.")


def load_settings(path: Path) -> ConsoleSettings:
    """Read the settings file.

    Raises
    ------
    SettingsError
        The file cannot be read, is not JSON, or a field is wrong; there are no ways to sign in, for one.
    """
    return read_settings(path, ConsoleSettings)
