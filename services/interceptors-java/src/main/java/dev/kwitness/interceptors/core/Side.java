package dev.kwitness.interceptors.core;

/** What a client is. */
public enum Side {
    PRODUCER("producer"),
    CONSUMER("consumer");

    final String word;

    Side(String word) {
        this.word = word;
    }
}
