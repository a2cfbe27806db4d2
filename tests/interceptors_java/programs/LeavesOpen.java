import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;

/** An application that ends without closing its producer, and writes when: milliseconds since 1970. */
public class LeavesOpen {
    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        settings.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        new KafkaProducer<String, String>(settings);
        System.out.println(System.currentTimeMillis());
        System.exit(0);
    }
}
