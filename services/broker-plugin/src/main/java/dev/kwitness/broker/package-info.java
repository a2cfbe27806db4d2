/**
 * The broker plugin: takes client metrics (KIP-714) and connection gauges (KIP-511) out of a Kafka broker.
 *
 * <p>Belongs here: what runs inside a broker's process. It must never make a broker request wait, never decode what a
 * client sent, never use more memory than configured, and never keep a broker from starting. Does not belong here:
 * any judgement about the data; that is the collector's.
 *
 * <p>Read first: {@link dev.kwitness.broker.PluginReporter} (life cycle), then the way of one push through
 * {@link dev.kwitness.broker.PushQueue} and {@link dev.kwitness.broker.PushSender}, and
 * {@link dev.kwitness.broker.Heartbeat} for the gauges.
 */
package dev.kwitness.broker;
