import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.PushTelemetryRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.ClientMetricsManager;
import org.apache.kafka.server.metrics.ClientTelemetryExporterPlugin;

/**
 * Has Kafka's own ClientMetricsManager answer the requests of contracts/vectors/telemetry_answers.json, which it reads
 * from standard input, and writes the same with Kafka's answers.
 */
public final class AnswerTelemetry {
    private static final class Clock implements Time {
        private long now;

        @Override
        public long milliseconds() {
            return now;
        }

        @Override
        public long nanoseconds() {
            return now * 1_000_000;
        }

        @Override
        public void sleep(long milliseconds) {
            now += milliseconds;
        }

        @Override
        public void waitObject(Object object, Supplier<Boolean> condition, long deadline) {
            throw new UnsupportedOperationException();
        }
    }

    private final Clock clock = new Clock();
    private final Map<Uuid, Integer> ids = new HashMap<>();
    private final ClientMetricsManager manager;
    private final JsonNode client;

    private AnswerTelemetry(int maxBytes, JsonNode client) {
        manager = new ClientMetricsManager(new ClientTelemetryExporterPlugin(), maxBytes, clock, new Metrics());
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        JsonNode all = mapper.readTree(System.in);
        for (JsonNode conversation : all.get("conversations")) {
            AnswerTelemetry kafka = new AnswerTelemetry(all.get("max_bytes").asInt(), conversation.get("client"));
            for (JsonNode step : conversation.get("steps")) {
                kafka.take((ObjectNode) step);
            }
            kafka.manager.close();
        }
        mapper.writeValue(System.out, all);
    }

    private void take(ObjectNode step) throws Exception {
        if (step.has("subscribe")) {
            for (String name : new TreeSet<>((Collection<String>) manager.listClientMetricsResources())) {
                manager.updateSubscription(name, new Properties());
            }
            for (JsonNode one : step.get("subscribe")) {
                manager.updateSubscription(one.get("id").asText(), properties(one));
            }
            return;
        }
        clock.now = step.get("at_ms").asLong();
        step.set("answer", step.has("get") ? get(step) : push(step));
    }

    private static Properties properties(JsonNode one) {
        Properties properties = new Properties();
        StringBuilder match = new StringBuilder();
        one.get("match").properties().forEach(entry ->
            match.append(match.length() > 0 ? "," : "").append(entry.getKey()).append('=').append(entry.getValue().asText()));
        StringBuilder metrics = new StringBuilder();
        one.get("metrics").forEach(prefix -> metrics.append(metrics.length() > 0 ? "," : "").append(prefix.asText()));
        properties.put("metrics", metrics.toString());
        properties.put("interval.ms", one.get("interval_ms").asText());
        properties.put("match", match.toString());
        return properties;
    }

    private RequestContext context(ApiKeys api) throws Exception {
        return new RequestContext(
            new RequestHeader(api, (short) 0, client.get("client_id").asText(), 1),
            "connection",
            InetAddress.getByName(client.get("address").asText()),
            Optional.of(client.get("port").asInt()),
            KafkaPrincipal.ANONYMOUS,
            new ListenerName("PLAINTEXT"),
            SecurityProtocol.PLAINTEXT,
            new ClientInformation(client.get("software_name").asText(), client.get("software_version").asText()),
            false);
    }

    private ObjectNode get(ObjectNode step) throws Exception {
        Uuid id = Uuid.fromString(step.get("get").asText());
        GetTelemetrySubscriptionsRequestData request = new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id);
        GetTelemetrySubscriptionsResponseData data = manager.processGetTelemetrySubscriptionRequest(
            new GetTelemetrySubscriptionsRequest.Builder(request, true).build((short) 0),
            context(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS)).data();
        ids.put(data.clientInstanceId(), data.subscriptionId());
        ObjectNode answer = step.objectNode();
        answer.put("error", Errors.forCode(data.errorCode()).name());
        answer.put("is_of_same_instance", data.clientInstanceId().equals(id));
        answer.put("push_interval_ms", data.pushIntervalMs());
        answer.put("telemetry_max_bytes", data.telemetryMaxBytes());
        answer.put("delta_temporality", data.deltaTemporality());
        ArrayNode types = answer.putArray("accepted_compression_types");
        data.acceptedCompressionTypes().forEach(types::add);
        ArrayNode metrics = answer.putArray("requested_metrics");
        new TreeSet<>(data.requestedMetrics()).forEach(metrics::add);
        // Of several prefixes Kafka's hangs on the order of a hash table.
        if (data.requestedMetrics().size() <= 1 && data.clientInstanceId().equals(id)) {
            answer.put("subscription_id", data.subscriptionId());
        }
        return answer;
    }

    private ObjectNode push(ObjectNode step) throws Exception {
        Uuid id = Uuid.fromString(step.get("push").asText());
        int subscription = ids.getOrDefault(id, 0) + (step.path("is_of_other_subscription").asBoolean() ? 1 : 0);
        PushTelemetryRequestData request = new PushTelemetryRequestData()
            .setClientInstanceId(id)
            .setSubscriptionId(subscription)
            .setTerminating(step.path("is_terminating").asBoolean())
            .setCompressionType((byte) step.path("compression").asInt())
            .setMetrics(java.nio.ByteBuffer.wrap(new byte[step.path("bytes").asInt()]));
        short error = manager.processPushTelemetryRequest(
            new PushTelemetryRequest.Builder(request, true).build((short) 0),
            context(ApiKeys.PUSH_TELEMETRY)).data().errorCode();
        return step.objectNode().put("error", Errors.forCode(error).name());
    }
}
