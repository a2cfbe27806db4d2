//! What an observer is told: the settings file, read strictly and judged before it is used.

mod address;
mod check;
mod model;

pub(crate) use kwitness_reporting::{Collector, Refused};
use kwitness_reporting::{read_settings, settings_hash};

pub(crate) use address::Address;
pub(crate) use model::{
    Identity, Limits, Listener, ListenerTls, Mode, Report, ReportedBy, Settings, Upstream, UpstreamTls,
};

impl Settings {
    /// Read and check the bytes of a settings file.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let mut settings: Self = read_settings(bytes)?;
        settings.check()?;
        settings.hash = settings_hash(bytes);
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    const GOOD: &str = r#"{"cluster_id":"c","namespace":"n","name":"edge","mode":"gateway","reported_by":"gateway","suspend":false,
        "upstream":{"bootstrap_servers":["b1:9092","[::1]:9092"],"tls":null},
        "listener":{"name":"GATEWAY","bind":"0.0.0.0","bootstrap_port":9092,"advertised_host":"h","brokers":{"0":9093,"7":9094}},
        "window_ms":10000,"report":{"connections":true,"traffic":true,"latency":true},"identity":{"drop":["principal"]},
        "limits":{"max_connections":10,"max_frame_bytes":100,"max_series":10,"queue_bytes":10,"max_rewrite_bytes":10},
        "collector":{"url":"https://c-{ordinal}:8443","replicas":2,"ca_file":"/ca","token_file":"/token"},"metrics_port":8080}"#;

    #[test]
    fn a_good_file_is_taken_with_the_hash_of_its_bytes() {
        let settings = Settings::parse(GOOD.as_bytes()).unwrap();

        assert_eq!(settings.listener.brokers[&7], 9094);
        assert_eq!(settings.upstream.bootstrap_servers[1].to_string(), "[::1]:9092");
        assert_eq!(settings.hash.len(), 16);
        assert_ne!(settings.hash, Settings::parse(format!("{GOOD}\n").as_bytes()).unwrap().hash);
    }

    #[test]
    fn a_bad_file_is_refused_with_the_name_of_its_field() {
        for (good, bad, field) in [
            (r#""window_ms":10000"#, r#""window_ms":"10 s""#, "window_ms"),
            (r#""window_ms":10000"#, r#""window_ms":1"#, "window_ms"),
            (r#""7":9094"#, r#""7":9093"#, "listener.brokers.7"),
            (r#""7":9094"#, r#""seven":9094"#, "listener.brokers"),
            (r#""b1:9092","[::1]:9092""#, r#""b1""#, "upstream.bootstrap_servers[0]"),
            (r#""b1:9092","[::1]:9092""#, "", "upstream.bootstrap_servers"),
            (r#""max_series":10"#, r#""max_series":0"#, "limits.max_series"),
            (r#""metrics_port":8080"#, r#""metrics_port":9093"#, "metrics_port"),
            (r#""url":"https://c-{ordinal}:8443""#, r#""url":"https://c:8443""#, "collector.url"),
            (r#""mode":"gateway""#, r#""mode":"Gateway""#, "mode"),
            (
                r#""latency":true"#,
                r#""latency":true,"requests":{"apis":["SaslAuthenticate"],"events_per_second":1}"#,
                "report.requests.apis",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"requests":{"events_per_second":0}"#,
                "report.requests.events_per_second",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{},"sample_every":0,"cpu_permille":10}"#,
                "report.headers.sample_every",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{},"sample_every":1,"cpu_permille":1001}"#,
                "report.headers.cpu_permille",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{"keys":[{"name":""}]},"sample_every":1,"cpu_permille":1}"#,
                "report.headers.rules",
            ),
            (r#""7":9094}"#, r#""7":9094},"redirected":[9092]"#, "listener.redirected"),
        ] {
            let refused = Settings::parse(GOOD.replace(good, bad).as_bytes()).unwrap_err();

            assert!(refused.field.starts_with(field), "{bad}: {refused}");
        }
    }

    #[test]
    fn a_brokers_own_observer_has_one_broker_and_one_port() {
        let of_broker = GOOD.replace(r#""mode":"gateway""#, r#""mode":"broker""#);
        let of_one = of_broker.replace(r#","[::1]:9092""#, "");

        let refused = |text: &str| Settings::parse(text.as_bytes()).unwrap_err().field;
        assert_eq!(refused(&of_broker), "upstream.bootstrap_servers");
        assert_eq!(refused(&of_one), "listener.brokers");
        let good = of_one.replace(r#""0":9093,"7":9094"#, "");
        assert!(Settings::parse(good.as_bytes()).is_ok());
        let redirected =
            |port: u16| good.replace(r#""brokers":{}"#, &format!(r#""brokers":{{}},"redirected":[{port}]"#));
        assert!(Settings::parse(redirected(9095).as_bytes()).is_ok());
        assert_eq!(refused(&redirected(9092)), "listener.redirected");
        let tls = r#""redirected":[9095],"tls":{"certificate_file":"/c","key_file":"/k","client_ca_file":null}"#;
        assert_eq!(refused(&redirected(9095).replace(r#""redirected":[9095]"#, tls)), "listener.redirected");
    }

    #[test]
    fn a_brokers_own_observer_knows_its_node_id_by_its_address_alone() {
        let of_one = GOOD.replace(r#","[::1]:9092""#, "").replace(r#""0":9093,"7":9094"#, "");
        let of_broker = of_one.replace(r#""mode":"gateway""#, r#""mode":"broker""#);
        let own = |text: &str, nodes: &str| {
            let nodes = format!(r#""bootstrap_servers":["b1:9092"],"nodes":{nodes}"#);
            Settings::parse(text.replace(r#""bootstrap_servers":["b1:9092"]"#, &nodes).as_bytes()).unwrap().own_node()
        };

        assert_eq!(own(&of_broker, r#"{"7":"b1:9092"}"#), Some(7));
        assert_eq!(own(&of_broker, r#"{"7":"b7:9092"}"#), None);
        assert_eq!(own(&of_broker, r#"{"7":"b1:9092","8":"b1:9092"}"#), None);
        assert_eq!(own(&of_one, r#"{"7":"b1:9092"}"#), None);
    }

    #[test]
    fn the_examples_that_the_operator_reads_too_are_judged_alike() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/observer_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let judged = |example: &serde_json::Value| Settings::parse(example["settings"].to_string().as_bytes());

        for example in examples["valid"].as_array().unwrap() {
            judged(example).unwrap_or_else(|refused| panic!("{}: {refused}", example["name"]));
        }
        for example in examples["refused"].as_array().unwrap() {
            let refused = judged(example).unwrap_err().to_string();
            assert!(refused.contains(example["field"].as_str().unwrap()), "{}: {refused}", example["field"]);
        }
        for example in examples["hashes"].as_array().unwrap() {
            assert_eq!(super::settings_hash(example["text"].as_str().unwrap().as_bytes()), example["hash"]);
        }
    }
}
