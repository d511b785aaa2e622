// A client of kafkajs: what dev.muster.it.kafka.ClientContract asks of a client.
//
//     member.js produce ADDRESS TOPIC COMPRESSION                  reads "key:value" lines
//     member.js consume ADDRESS TOPIC GROUP [setting=value ...]    until SIGTERM

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = require("kafkajs");
const readline = require("readline");

CompressionCodecs[CompressionTypes.Snappy] = require("kafkajs-snappy");

CompressionCodecs[CompressionTypes.LZ4] = () => {
  const lz4 = require("lz4-napi");
  return {
    compress: (encoder) => lz4.compressFrame(encoder.buffer),
    decompress: (bytes) => lz4.decompressFrame(bytes),
  };
};
CompressionCodecs[CompressionTypes.ZSTD] = () => {
  const codec = new Promise((ready) => require("zstd-codec").ZstdCodec.run((zstd) => ready(new zstd.Streaming())));
  return {
    compress: async (encoder) => Buffer.from((await codec).compress(encoder.buffer)),
    decompress: async (bytes) => Buffer.from((await codec).decompress(bytes)),
  };
};

const types = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};
const [mode, address, topic, ...rest] = process.argv.slice(2);
const kafka = new Kafka({ brokers: [address], logLevel: logLevel.ERROR });

async function produce(compression) {
  const messages = [];
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const colon = line.indexOf(":");
    messages.push({
      partition: 0,
      key: line.slice(0, colon) || null,
      value: line.slice(colon + 1) || null,
      headers: { tenant: "blue", trace: "7" },
    });
  }
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages, compression: types[compression], acks: -1 });
  await producer.disconnect();
}

async function consume(groupId, ...settings) {
  const given = Object.fromEntries(settings.map((setting) => setting.split("=")));
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: Number(given["session.timeout.ms"] || 10000),
    heartbeatInterval: 300,
    maxWaitTimeInMs: 200,
  });
  process.once("SIGTERM", async () => {
    await consumer.disconnect();
    process.exit(0);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      const headers = Object.entries(message.headers).map(([name, value]) => name + "=" + value);
      console.log("record", partition, message.offset, text(message.key), text(message.value), headers.join(","));
    },
  });
}

function text(data) {
  return data === null ? "NULL" : data.toString();
}

({ produce, consume })[mode](...rest).catch((failure) => {
  console.error(failure);
  process.exit(1);
});
