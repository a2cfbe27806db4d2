package dev.kwitness.interceptors.core;

/** What becomes of a header with a problem. */
enum HeaderPolicy {
    REPORT("Report"),
    WARN("Warn"),
    DENY("Deny");

    final String word;

    HeaderPolicy(String word) {
        this.word = word;
    }

    @Override
    public String toString() {
        return word;
    }
}
