package dev.kwitness.broker;

/** What is not as it should be; each is in JMX and, while the plugin is active, in every heartbeat. */
enum Warning {
    INVALID_CONFIGURATION("InvalidConfiguration",
        "The plugin is passive; one ERROR line of the broker's log names each key, value and remedy."),
    JMX_REPORTER_MISSING("JmxReporterMissing",
        "metric.reporters was set without org.apache.kafka.common.metrics.JmxReporter: the broker has no JMX metrics."),
    BOTH_ENTRY_CLASSES("BothEntryClasses",
        "metric.reporters names both entry classes: KwitnessLegacyReporter stays aside, and can be removed."),
    UNKNOWN_CONFIGURATION("UnknownConfiguration",
        "A key that begins with kwitness. is not one of the plugin's, so perhaps misspelled."),
    ASKING_UNAVAILABLE("AskingUnavailable",
        "Kafka 3.7 has no metric per client instance: which clients asked for a subscription is not known."),
    IDENTITY_INCOMPLETE("IdentityIncomplete",
        "The broker does not show software and port of its clients to plugins: pushes go without them."),
    TOKEN_UNREADABLE("TokenUnreadable",
        "The token file cannot be read now; the last token is used."),
    CERTIFICATES_UNREADABLE("CertificatesUnreadable",
        "The file of CA certificates cannot be read now; the last certificates are used.");

    private final String word;
    private final String help;

    Warning(String word, String help) {
        this.word = word;
        this.help = help;
    }

    String word() {
        return word;
    }

    String help() {
        return help;
    }
}
