/** Kafka's interfaces for interceptors (KIP-42), of clients 2.8 and later. Nothing here ever throws. */
package dev.kwitness.interceptors;
