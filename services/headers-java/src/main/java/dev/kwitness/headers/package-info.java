/**
 * Record headers with types (KIP-82): keys of a register, their values, and many of them in one header.
 *
 * <p>{@link dev.kwitness.headers.HeaderReader} and {@link dev.kwitness.headers.HeaderWriter} are what applications
 * begin with; {@code kwitness generate headers} writes the keys of a HeaderRegistry as constants.
 */
package dev.kwitness.headers;
