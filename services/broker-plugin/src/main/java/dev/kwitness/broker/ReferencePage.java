package dev.kwitness.broker;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;

/** Prints the plugin's reference page as Markdown, from the very definitions the plugin uses. */
final class ReferencePage {
    private final StringBuilder page = new StringBuilder();

    private ReferencePage() {
    }

    /** Write the page to standard output. */
    public static void main(String[] arguments) {
        System.out.print(text());
    }

    static String text() {
        ReferencePage reference = new ReferencePage();
        reference.introduction();
        reference.settings();
        reference.counters();
        reference.reasons();
        return reference.page.toString();
    }

    private void introduction() {
        line("# Broker plugin");
        line("");
        line("<!-- Generated from services/broker-plugin by `make generate`; changes here are lost. -->");
        line("");
        line("Put `kwitness-broker-plugin.jar` into the broker's class path (`libs/`) and add the entry class of its");
        line("version to `metric.reporters`, after `JmxReporter`: setting the key replaces Kafka's default.");
        line("");
        table(List.of("Kafka", "`metric.reporters`"), List.of(
            List.of("4.2 and later", entry(KwitnessReporter.class)),
            List.of("3.7 to 4.1", entry(KwitnessLegacyReporter.class))));
        line("The jar is Java 11 byte code without dependencies. With wrong settings, and on nodes that are only");
        line("controllers, the plugin is passive: the node starts and nothing is sent. Kafka 3.7 to 4.1 then hide the");
        line("telemetry APIs from clients; Kafka 4.2 and later cannot, so what clients push there is dropped and");
        line("counted.");
        line("");
    }

    private void settings() {
        line("## Settings");
        line("");
        line("In the broker's properties; read when the broker starts.");
        line("");
        List<List<String>> rows = new ArrayList<>();
        PluginConfig.DEFINITION.configKeys().values().forEach(key -> rows.add(List.of(
            "`" + key.name + "`", key.type.toString().toLowerCase(Locale.ROOT),
            standard(key), key.validator == null ? "" : key.validator.toString(), key.documentation)));
        table(List.of("Key", "Type", "Default", "Valid", "Meaning"), rows);
    }

    private void counters() {
        line("## Counters");
        line("");
        line("In JMX as `" + PluginMBean.NAME
            + "`; the heartbeat carries the same numbers. At every moment accepted =");
        line("delivered + queued + dropped, counted from the start of the broker.");
        line("");
        List<List<String>> rows = new ArrayList<>();
        for (Method method : BrokerPluginMXBean.class.getMethods()) {
            rows.add(List.of("`" + method.getName().replaceFirst("^(get|is)", "") + "`",
                method.getReturnType().getSimpleName()));
        }
        rows.sort((left, right) -> left.get(0).compareTo(right.get(0)));
        table(List.of("Attribute", "Type"), rows);
    }

    private void reasons() {
        line("## Why pushes are dropped");
        line("");
        List<List<String>> drops = new ArrayList<>();
        for (DropReason reason : DropReason.values()) {
            drops.add(List.of("`" + reason.label() + "`", reason.help()));
        }
        table(List.of("Reason", "Meaning"), drops);
        line("## Warnings");
        line("");
        List<List<String>> warnings = new ArrayList<>();
        for (Warning warning : Warning.values()) {
            warnings.add(List.of("`" + warning.word() + "`", warning.help()));
        }
        table(List.of("Warning", "Meaning"), warnings);
    }

    private void table(List<String> head, List<List<String>> rows) {
        line("| " + String.join(" | ", head) + " |");
        line("|" + " --- |".repeat(head.size()));
        rows.forEach(row -> line("| " + String.join(" | ", row).replace("\n", " ") + " |"));
        line("");
    }

    private void line(String text) {
        page.append(text).append('\n');
    }

    private static String entry(Class<?> reporter) {
        return "`org.apache.kafka.common.metrics.JmxReporter," + reporter.getName() + "`";
    }

    private static String standard(ConfigDef.ConfigKey key) {
        if (!key.hasDefault()) {
            return "required";
        }
        return key.defaultValue == null ? "" : "`" + key.defaultValue + "`";
    }
}
