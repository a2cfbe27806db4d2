package dev.kwitness.interceptors.core;

/** What can be wrong with a header, in the order of all runtimes; {@link #MISSING} is of a key that is not there. */
enum HeaderProblem {
    UNREGISTERED("unregistered"),
    WRONG_TYPE("wrong_type"),
    TOO_LARGE("too_large"),
    DEPRECATED("deprecated"),
    TESTING_ID("testing_id"),
    MISSING("missing");

    static final int NUMBER = values().length;

    final String word;

    HeaderProblem(String word) {
        this.word = word;
    }

    /** Its place in a set of problems. */
    int bit() {
        return 1 << ordinal();
    }

    boolean isIn(int problems) {
        return (problems & bit()) != 0;
    }
}
