//! Says which configurations may be secrets, by the kind of resource and by name.

/// Kinds of resources, as Kafka numbers them.
pub(super) const TOPIC: i64 = 2;
const BROKER: i64 = 4;
const BROKER_LOGGER: i64 = 8;
const CLIENT_METRICS: i64 = 16;
pub(super) const GROUP: i64 = 32;
/// Those whose configurations Kafka defines without a password.
const WITHOUT_PASSWORDS: [i64; 4] = [TOPIC, BROKER_LOGGER, CLIENT_METRICS, GROUP];

/// Beginnings of names of brokers' configurations that Kafka itself defines, without a password among them. Others may be
/// a password's, or a plugin's.
const OF_BROKERS: [&str; 20] = [
    "advertised.listeners",
    "auto.",
    "background.threads",
    "compression.",
    "follower.replication.throttled.",
    "leader.replication.throttled.",
    "listener.security.protocol.map",
    "listeners",
    "log.",
    "max.connection",
    "message.max.bytes",
    "min.insync.replicas",
    "num.",
    "offsets.",
    "producer.id.expiration.",
    "replica.",
    "remote.fetch.",
    "remote.log.index.file.cache.",
    "transaction.partition.verification.",
    "unclean.leader.election.",
];

/// Words in names of secrets, of any kind of resource.
const SECRET: [&str; 9] =
    ["password", "passwd", "passphrase", "secret", "credential", "jaas", "token", "keystore", "truststore"];
const SECRET_AT_THE_END: &str = "key";

/// Returns true if the value of this configuration may be a secret.
pub(super) fn holds_secret(resource: i64, name: &[u8]) -> bool {
    let begins = |with: &str| name.get(..with.len()) == Some(with.as_bytes());
    let is_open = WITHOUT_PASSWORDS.contains(&resource) || resource == BROKER && OF_BROKERS.into_iter().any(begins);
    !is_open || SECRET.into_iter().any(|word| has(name, word)) || ends_with(name, SECRET_AT_THE_END)
}

fn has(name: &[u8], word: &str) -> bool {
    name.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

fn ends_with(name: &[u8], word: &str) -> bool {
    let end = name.len().checked_sub(word.len()).and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_open_where_kafka_has_no_password_and_no_name_is_one() {
        for (resource, name) in [
            (2, "cleanup.policy"),
            (4, "num.io.threads"),
            (4, "log.retention.ms"),
            (8, "kafka.server.KafkaApis"),
            (16, "metrics"),
            (32, "consumer.session.timeout.ms"),
        ] {
            assert!(!holds_secret(resource, name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn values_are_hidden_of_passwords_and_of_unknown_configurations() {
        for (resource, name) in [
            (4, "listener.name.clients.ssl.keystore.password"),
            (4, "ssl.keystore.key"),
            (4, "sasl.jaas.config"),
            (4, "my.reporter.api"),
            (4, ""),
            (4, "log.forwarder.apiKey"),
            (2, "plugin.Secret.id"),
            (2, "PASSWORD"),
            (2, "key"),
            (0, "cleanup.policy"),
            (99, "num.io.threads"),
        ] {
            assert!(holds_secret(resource, name.as_bytes()), "{name}");
        }
        assert!(holds_secret(2, b"\xff\xfe.pass\xffword.secret"));
    }
}
