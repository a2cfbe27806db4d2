package dev.kwitness.broker;

/**
 * Which compression a payload still has.
 *
 * <p>Kafka 3.7 hands payloads to plugins as the client compressed them, without saying how; later versions decompress
 * them first. Each compression begins with bytes that no OTLP message begins with (those begin with 0x0a), except
 * snappy without framing, which no client uses here. Nothing is decompressed in the broker.
 */
enum PayloadCompression {
    ZSTD("zstd", 0x28, 0xb5, 0x2f, 0xfd),
    LZ4("lz4", 0x04, 0x22, 0x4d, 0x18),
    GZIP("gzip", 0x1f, 0x8b),
    SNAPPY("snappy", 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0x00);

    private final String label;
    private final int[] magic;

    PayloadCompression(String label, int... magic) {
        this.label = label;
        this.magic = magic;
    }

    /** The name of the payload's compression, as KIP-714 spells it; null when there is none. */
    static String of(byte[] payload) {
        for (PayloadCompression candidate : values()) {
            if (candidate.begins(payload)) {
                return candidate.label;
            }
        }
        return null;
    }

    private boolean begins(byte[] payload) {
        if (payload.length < magic.length) {
            return false;
        }
        for (int i = 0; i < magic.length; i++) {
            if (payload[i] != (byte) magic[i]) {
                return false;
            }
        }
        return true;
    }
}
