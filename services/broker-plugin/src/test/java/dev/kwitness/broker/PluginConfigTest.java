package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginConfigTest {
    private static final Map<String, String> VALID = Map.of(PluginConfig.URL, "https://collector:8443/");

    @Test
    void aUrlAloneSuffices() throws InvalidConfiguration {
        PluginConfig config = PluginConfig.read(VALID);
        assertEquals("https://collector:8443", config.url().toString());
        assertEquals(32L * 1024 * 1024, config.queueMaxBytes());
        assertFalse(config.balancedByClient());
    }

    @Test
    void otherPropertiesOfTheBrokerDoNotMatter() throws InvalidConfiguration {
        Map<String, Object> properties = new HashMap<>(VALID);
        properties.put("log.dirs", 7);
        properties.put("kwitness.queue.max.bytes", null);
        assertEquals(32L * 1024 * 1024, PluginConfig.read(properties).queueMaxBytes());
    }

    @ParameterizedTest
    @CsvSource({
        "kwitness.collector.url, collector:8443, must start with https",
        "kwitness.collector.url, https:///v1, name a host",
        "kwitness.collector.url, https://user:secret@collector:8443, name a host",
        "kwitness.collector.url, http://collector:8443, kwitness.collector.insecure.plaintext=true",
        "kwitness.collector.url, 'https://a b', not a URL",
        "kwitness.queue.max.bytes, 32MiB, Not a number",
        "kwitness.queue.max.bytes, 10, at least 65536",
        "kwitness.batch.linger.ms, -1, at least 0",
        "kwitness.collector.balance, both, server",
        "kwitness.collector.insecure.plaintext, maybe, boolean",
        "kwitness.collector.token.file, /nowhere/token, no token can be read",
        "kwitness.collector.ca.file, /nowhere/ca.crt, no certificates can be read",
    })
    void aWrongValueIsNamedWithKeyAndRemedy(String key, String value, String reason) {
        Map<String, String> properties = new HashMap<>(VALID);
        properties.put(key, value);
        String message = assertThrows(InvalidConfiguration.class, () -> PluginConfig.read(properties)).getMessage();
        assertTrue(message.contains(key), message);
        assertTrue(message.contains(value), message);
        assertTrue(message.contains(reason), message);
        assertTrue(message.contains("Remedy: "), message);
    }

    @Test
    void everyProblemIsReportedAtOnce() {
        Map<String, String> properties = Map.of("kwitness.queue.max.bytes", "x", "kwitness.batch.linger.ms", "y");
        String message = assertThrows(InvalidConfiguration.class, () -> PluginConfig.read(properties)).getMessage();
        assertTrue(message.contains("kwitness.collector.url"), message);
        assertTrue(message.contains("kwitness.queue.max.bytes"), message);
        assertTrue(message.contains("kwitness.batch.linger.ms"), message);
    }

    @Test
    void misspelledKeysAreFound() {
        assertEquals(Set.of("kwitness.colector.url"),
            PluginConfig.unknownKeys(Map.of("kwitness.colector.url", "x", "kwitness.collector.url", "y",
                "node.id", 1)));
    }

    @Test
    void aTokenOfTwoLinesIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "abc\nX-Injected: 1\n");
        assertThrows(IOException.class, () -> TokenFile.read(file));
    }

    @Test
    void aTokenFollowsItsFileAndSurvivesItsAbsence(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "first\n");
        TokenFile token = new TokenFile(file);
        assertEquals("first", token.current());
        Files.writeString(file, "second");
        assertEquals("second", token.current());
        Files.delete(file);
        assertEquals("second", token.current());
        assertFalse(token.readable());
    }
}
