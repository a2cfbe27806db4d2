/** The agent: gives interceptors to clients of kafka-clients as they are made, whatever class loader they are in. */
package dev.kwitness.interceptors.agent;
