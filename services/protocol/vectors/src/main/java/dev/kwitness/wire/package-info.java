/**
 * Writes test vectors for the crate {@code services/protocol}: messages as Kafka's own classes encode them.
 *
 * <p>It compiles against Kafka 3.9.2 and 4.4.0 alike, so it names only classes that both have.
 */
package dev.kwitness.wire;
