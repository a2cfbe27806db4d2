package dev.kwitness.headers;

/** How values of one's own become bytes of a header, and back; both methods may throw what they like. */
public interface HeaderCodec<T> {
    byte[] encode(T value);

    T decode(byte[] bytes);
}
