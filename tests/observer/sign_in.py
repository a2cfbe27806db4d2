"""How a client of a test speaks and signs in, as librdkafka and as Kafka's own clients are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
_LOGIN = "org.apache.kafka.common.security"


@dataclass(frozen=True)
class SignIn:
    """A way to connect.

    Parameters
    ----------
    mechanism
        Of SASL; None for none.
    ca_file
        Who signs servers; None for plaintext.
    certificate
        The client's own, and its key.
    """

    user: str
    password: str
    mechanism: Mechanism | None = None
    ca_file: Path | None = None
    certificate: tuple[Path, Path] | None = None

    @property
    def protocol(self) -> str:
        """Kafka's name of the security protocol."""
        transport = "PLAINTEXT" if self.ca_file is None else "SSL"
        return transport if self.mechanism is None else f"SASL_{transport}"

    def librdkafka(self) -> dict[str, str | bool]:
        """Configuration for confluent-kafka."""
        found: dict[str, str | bool] = {"security.protocol": self.protocol}
        if self.ca_file is not None:
            found["ssl.ca.location"] = str(self.ca_file)
        if self.certificate is not None:
            certificate, key = self.certificate
            found |= {"ssl.certificate.location": str(certificate), "ssl.key.location": str(key)}
        if self.mechanism == "OAUTHBEARER":
            claims = f"principal={self.user} extension_canary={self.password}"
            found |= {"enable.sasl.oauthbearer.unsecure.jwt": True, "sasl.oauthbearer.config": claims}
        elif self.mechanism is not None:
            found |= {"sasl.username": self.user, "sasl.password": self.password}
        return found | ({"sasl.mechanism": self.mechanism} if self.mechanism else {})

    def java(self, folder: Path) -> Path:
        """A file with the properties of Kafka's own clients."""
        found = {"security.protocol": self.protocol}
        if self.ca_file is not None:
            found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(self.ca_file)}
        if self.certificate is not None:
            store = folder / "client.pem"
            store.write_text("".join(file.read_text() for file in reversed(self.certificate)))
            found |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(store)}
        if self.mechanism is not None:
            found |= {"sasl.mechanism": self.mechanism, "sasl.jaas.config": self._jaas()}
        file = folder / "client.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in found.items()))
        return file

    def _jaas(self) -> str:
        login = f'username="{self.user}" password="{self.password}";'
        if self.mechanism == "PLAIN":
            return f"{_LOGIN}.plain.PlainLoginModule required {login}"
        if self.mechanism == "OAUTHBEARER":
            claims = f'unsecuredLoginStringClaim_sub="{self.user}" unsecuredLoginStringClaim_canary="{self.password}";'
            return f"{_LOGIN}.oauthbearer.OAuthBearerLoginModule required {claims}"
        return f"{_LOGIN}.scram.ScramLoginModule required {login}"
