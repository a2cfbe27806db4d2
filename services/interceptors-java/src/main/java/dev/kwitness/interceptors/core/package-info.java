/**
 * What counts and reports, without any class of Kafka: one for all class loaders of the process where the agent runs.
 *
 * <p>Public is what the interceptors beside Kafka's classes call, from a class loader of their own.
 */
package dev.kwitness.interceptors.core;
