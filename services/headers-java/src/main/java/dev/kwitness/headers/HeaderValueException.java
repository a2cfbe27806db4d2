package dev.kwitness.headers;

/** A value is not of a header's type; names the header, what is wrong, and what to do, and never the value. */
public final class HeaderValueException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    HeaderValueException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The same of a header that is known. */
    HeaderValueException of(HeaderKey<?> key) {
        return new HeaderValueException("header " + key + ": " + getMessage(), getCause());
    }
}
