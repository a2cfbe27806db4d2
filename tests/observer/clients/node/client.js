// Produces and consumes as README.md beside this folder says, by KafkaJS.
"use strict";

const { Kafka, CompressionTypes, logLevel } = require("kafkajs");

const CODECS = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP };
const ACKS = { 0: 0, 1: 1, all: -1 };

async function main([bootstrap, topic, clientId, records, ways]) {
  const kafka = new Kafka({ brokers: [bootstrap], clientId, logLevel: logLevel.WARN });
  const counts = { acknowledged: 0, unconfirmed: 0 };
  const producer = kafka.producer();
  await producer.connect();
  for (const [codec, acks] of ways.split(",").map((way) => way.split(":"))) {
    const messages = Array.from({ length: Number(records) }, (_, number) => ({
      key: String(number),
      value: `${codec} ${acks} ${number} `.repeat(10),
    }));
    await producer.send({ topic, acks: ACKS[acks], compression: CODECS[codec], messages });
    counts[acks === "0" ? "unconfirmed" : "acknowledged"] += messages.length;
  }
  await producer.disconnect();
  const consumed = await consume(kafka, topic, clientId, counts.acknowledged + counts.unconfirmed);
  console.log(JSON.stringify({ ...counts, consumed }));
}

async function consume(kafka, topic, groupId, wanted) {
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const places = new Set();
  await new Promise((resolve) => {
    const eachMessage = async ({ partition, message }) => {
      places.add(`${partition}:${message.offset}`);
      if (places.size === wanted) resolve();
    };
    consumer.run({ eachMessage });
  });
  await consumer.disconnect();
  return places.size;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
