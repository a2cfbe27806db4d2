package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples that every language runs. */
class AllowedHostsTest {
    @ParameterizedTest
    @MethodSource("addresses")
    void anAddressHasOneSpellingOrIsNone(JsonNode vector) {
        assertEquals(vector.get("canonical").textValue(),
            AllowedHosts.canonicalAddress(vector.get("address").textValue()));
    }

    @ParameterizedTest
    @MethodSource("lists")
    void aListIsReadEntirelyOrRefused(JsonNode vector) {
        String text = vector.get("text").textValue();
        if (vector.get("entries").isNull()) {
            assertThrows(IllegalArgumentException.class, () -> AllowedHosts.parse(text));
        } else {
            List<String> expected = new ArrayList<>();
            vector.get("entries").forEach(entry -> expected.add(entry.textValue()));
            assertEquals(expected, AllowedHosts.parse(text).entries);
        }
    }

    @ParameterizedTest
    @MethodSource("verdicts")
    void aCredentialGoesToListedHostsOnly(JsonNode vector) {
        boolean allowed;
        try {
            allowed = AllowedHosts.parse(vector.get("hosts").textValue()).allows(vector.get("address").textValue());
        } catch (IllegalArgumentException malformed) {
            allowed = false;
        }
        assertEquals(vector.get("allowed").booleanValue(), allowed);
    }

    @ParameterizedTest
    @MethodSource("credentials")
    void theSecretAndTheInstallationMustBothAllow(JsonNode vector) {
        boolean allowed;
        try {
            allowed = AllowedHosts.allowed(vector.get("secret").textValue(), vector.get("installation").textValue(),
                vector.get("address").textValue());
        } catch (IllegalArgumentException malformed) {
            allowed = false;
        }
        assertEquals(vector.get("allowed").booleanValue(), allowed);
    }

    static Stream<JsonNode> credentials() throws IOException {
        return vectors("credentials");
    }

    static Stream<JsonNode> addresses() throws IOException {
        return vectors("addresses");
    }

    static Stream<JsonNode> lists() throws IOException {
        return vectors("lists");
    }

    static Stream<JsonNode> verdicts() throws IOException {
        return vectors("verdicts");
    }

    private static Stream<JsonNode> vectors(String section) throws IOException {
        // Maven runs tests in the folder of the pom.
        Path file = Path.of("..", "..", "contracts", "vectors", "allowed_hosts.json");
        return StreamSupport.stream(new ObjectMapper().readTree(file.toFile()).get(section).spliterator(), false);
    }
}
