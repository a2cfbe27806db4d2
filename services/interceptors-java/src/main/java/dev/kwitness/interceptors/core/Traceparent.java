package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which trace a record is of, and of which span: the header {@value #KEY} of W3C Trace Context. */
public final class Traceparent {
    public static final String KEY = "traceparent";

    private static final Pattern FORM =
        Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final Pattern ZEROS = Pattern.compile("0+");
    /** No version 0 is longer, and what is much longer is none. */
    private static final int LONGEST = 512;

    /** 32 hex digits. */
    public final String traceId;
    /** 16 hex digits. */
    final String parentId;
    final boolean sampled;

    Traceparent(String traceId, String parentId, boolean sampled) {
        this.traceId = traceId;
        this.parentId = parentId;
        this.sampled = sampled;
    }

    /** What a header says; null where it says nothing that can be read, or is null. */
    public static Traceparent of(byte[] header) {
        if (header == null || header.length > LONGEST) {
            return null;
        }
        Matcher parts = FORM.matcher(new String(header, StandardCharsets.ISO_8859_1));
        if (!parts.matches()) {
            return null;
        }
        String version = parts.group(1);
        boolean isRead = !version.equals("ff") && (parts.group(5) == null || !version.equals("00"))
            && !ZEROS.matcher(parts.group(2)).matches() && !ZEROS.matcher(parts.group(3)).matches();
        boolean sampled = (Integer.parseInt(parts.group(4), 16) & 1) == 1;
        return isRead ? new Traceparent(parts.group(2), parts.group(3), sampled) : null;
    }

    /** A new trace, sampled: whoever reads the record decides as if it had none. */
    public static Traceparent begin() {
        return new Traceparent(random() + random(), random(), true);
    }

    /** Whether it is of the same trace. */
    public boolean isOf(Traceparent other) {
        return other != null && other.traceId.equals(traceId);
    }

    /** The header's value. */
    public byte[] value() {
        return ("00-" + traceId + "-" + parentId + (sampled ? "-01" : "-00")).getBytes(StandardCharsets.US_ASCII);
    }

    /** 16 hex digits; never zeros, which would be none. */
    private static String random() {
        long bits = ThreadLocalRandom.current().nextLong();
        char[] digits = new char[Long.BYTES * 2];
        for (int place = digits.length - 1; place >= 0; place--) {
            digits[place] = Character.forDigit((int) bits & 0xf, 16);
            bits >>>= 4;
        }
        String text = new String(digits);
        return ZEROS.matcher(text).matches() ? random() : text;
    }
}
