"""What the Helm values decide for the injector: one JSON file, rendered by the chart into a mounted ConfigMap."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from kwitness.contracts.endpoints import INJECTOR_PORT, PROBE_PORT
from kwitness.contracts.injections import INJECTIONS_CONFIG_MAP
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONFIG_MAP
from kwitness.runtime.settings_file import read_settings

__all__ = ["DEFAULT_SETTINGS_FILE", "CertificateSettings", "InjectorSettings", "load_settings"]

DEFAULT_SETTINGS_FILE: Final = Path("/etc/kwitness/injector/settings.json")
"""Where the chart mounts the ConfigMap ``kwitness-injector``, key ``settings.json``."""


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class CertificateSettings(_Settings):
    """Where the serving certificate comes from: a folder that others fill, or a Secret that the injector fills."""

    folder: str | None = Field(None, description="Folder with tls.crt and tls.key, which others renew.")
    secret: str | None = Field(None, description="Secret in its own namespace that the injector fills and renews.")
    webhook_configuration: str | None = Field(
        None, description="MutatingWebhookConfiguration that is told the authority of that Secret's certificate."
    )
    names: tuple[str, ...] = Field((), description="Names and addresses by which the API server calls the injector.")
    lifetime_days: float = Field(90, gt=0, description="Days that a certificate is good for; renewed after two thirds.")
    overlap_seconds: float = Field(
        60, ge=0, description="Seconds for which API servers know a new certificate's authority before it is used."
    )
    check_seconds: float = Field(20, gt=0, description="Seconds between two looks at Secret, folder and webhook.")

    @model_validator(mode="after")
    def _one_source(self) -> CertificateSettings:
        own = (self.secret, self.webhook_configuration, self.names or None)
        if (self.folder is None) == (self.secret is None) or (self.secret is None) != (None in own):
            raise ValueError("name a folder, or a secret with webhookConfiguration and names")
        return self


class InjectorSettings(_Settings):
    """Everything the injector is told."""

    namespace: str = Field(min_length=1, description="Namespace of the release: the injector's own.")
    injections: str = Field(INJECTIONS_CONFIG_MAP, description="ConfigMap that the operator writes injections into.")
    interceptors: str = Field(
        INTERCEPTORS_CONFIG_MAP, description="ConfigMap that the operator writes injections of interceptors into."
    )
    pod_security_default: Literal["privileged", "baseline", "restricted"] = Field(
        "restricted", description="Pod Security Standard that is enforced in namespaces whose labels name none."
    )
    certificate: CertificateSettings = Field(description="Where the serving certificate comes from.")
    client_ca_file: str | None = Field(
        None, description="CA certificates, PEM; callers of the webhook must have a certificate of one of them."
    )
    host: str = Field("0.0.0.0", description="Address to listen on.")  # noqa: S104 - the API server is elsewhere
    port: int = Field(INJECTOR_PORT, ge=0, description="Port of the webhook.")
    probe_port: int = Field(PROBE_PORT, ge=0, description="Port of /metrics, /healthz and /readyz.")
    drain_seconds: float = Field(
        5, ge=0, description="Seconds for which reviews are answered after SIGTERM, until nobody sends any more."
    )
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level that is logged.")


def load_settings(path: Path) -> InjectorSettings:
    """Read the settings file.

    Raises
    ------
    SettingsError
        If the file cannot be read, is not JSON, or a field is wrong.
    """
    return read_settings(path, InjectorSettings)
