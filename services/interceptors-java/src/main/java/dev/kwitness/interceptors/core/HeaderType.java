package dev.kwitness.interceptors.core;

/** What the value of a header may be. */
enum HeaderType {
    STRING("String"),
    BYTES("Bytes"),
    INT32("Int32"),
    INT64("Int64"),
    UUID("Uuid"),
    TIMESTAMP("Timestamp"),
    JSON("Json");

    private static final int UUID_CHARACTERS = 36;

    final String word;

    HeaderType(String word) {
        this.word = word;
    }

    @Override
    public String toString() {
        return word;
    }

    /** Whether a value is one of this type; null is of every type. */
    boolean has(byte[] value) {
        if (value == null) {
            return true;
        }
        switch (this) {
            case STRING:
                return Utf8.isValid(value);
            case INT32:
                return value.length == Integer.BYTES;
            case INT64:
            case TIMESTAMP:
                return value.length == Long.BYTES;
            case UUID:
                return value.length == 2 * Long.BYTES || isUuidText(value);
            case JSON:
                return Utf8.isValid(value) && StrictJson.isValid(value);
            default:
                return true;
        }
    }

    private static boolean isUuidText(byte[] value) {
        if (value.length != UUID_CHARACTERS) {
            return false;
        }
        for (int place = 0; place < value.length; place++) {
            boolean isHyphen = place == 8 || place == 13 || place == 18 || place == 23;
            if (isHyphen ? value[place] != '-' : !StrictJson.isHexadecimal(value[place])) {
                return false;
            }
        }
        return true;
    }
}
