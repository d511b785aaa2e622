// A client of kafkajs that logs in, sends a record and is told where it stands.
//
//     login.js ADDRESS TOPIC MECHANISM NAME PASSWORD

const { Kafka, logLevel } = require("kafkajs");

const [address, topic, mechanism, username, password] = process.argv.slice(2);
const kafka = new Kafka({
  brokers: [address],
  sasl: { mechanism: mechanism.toLowerCase(), username, password },
  logLevel: logLevel.NOTHING,
  // It does not try again, so that a wrong password is an end; so no single step may be too slow either.
  retry: { retries: 0 },
  connectionTimeout: 60000,
  authenticationTimeout: 60000,
});

async function login() {
  const producer = kafka.producer();
  await producer.connect();
  const [place] = await producer.send({ topic, messages: [{ partition: 0, value: "hello from node" }], acks: -1 });
  console.log("sent at", place.baseOffset);
  await producer.disconnect();
}

login().catch((failure) => {
  console.error(failure.name + ": " + failure.message);
  process.exit(1);
});
