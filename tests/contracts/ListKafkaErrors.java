import org.apache.kafka.common.protocol.Errors;

/** Prints code and name of each error of Kafka's protocol. */
final class ListKafkaErrors {
    private ListKafkaErrors() {
    }

    public static void main(String[] arguments) {
        for (Errors error : Errors.values()) {
            System.out.println(error.code() + " " + error.name());
        }
    }
}
