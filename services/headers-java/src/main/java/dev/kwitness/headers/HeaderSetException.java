package dev.kwitness.headers;

/** Bytes are no set of headers. */
public final class HeaderSetException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private final String reason;

    HeaderSetException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    /**
     * One word, the same in every language: {@code truncated}, {@code negative_id}, {@code negative_length},
     * {@code out_of_order} or {@code duplicate}.
     */
    public String reason() {
        return reason;
    }
}
