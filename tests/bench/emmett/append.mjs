// Emmett's own way of appending: N workers in a loop, each event to a new stream that must not exist.
// append.mjs URL WORKERS SECONDS DATA_BYTES: prints {"events", "seconds", "events_per_s"}.
// The workers are shared out over two processes, so that one core of Node is not what is measured.
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';

const [url, workers, seconds, dataBytes] = process.argv.slice(2);
const processes = 2;

async function work() {
  const store = getPostgreSQLEventStore(url, { schema: { autoMigration: 'None' } });
  const text = 'x'.repeat(Number(dataBytes));
  const deadline = Date.now() + Number(seconds) * 1000;
  let events = 0;
  const loop = async () => {
    while (Date.now() < deadline) {
      await store.appendToStream(`moment-${randomUUID()}`, [{ type: 'MomentPublished', data: { text } }], {
        expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
      });
      events += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(workers) / processes }, loop));
  await store.close();
  process.send({ events });
  process.disconnect();
}

async function lead() {
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  await store.close();
  const started = Date.now();
  let events = 0;
  let left = processes;
  let failed = false;
  for (let i = 0; i < processes; ++i) cluster.fork();
  cluster.on('message', (_, message) => (events += message.events));
  cluster.on('exit', (_, code) => {
    failed ||= code !== 0;
    if (--left > 0) return;
    const took = (Date.now() - started) / 1000;
    if (failed || events === 0) process.exit(1);
    // Start-up of the processes does not count: the loops ran for SECONDS.
    const ran = Math.min(took, Number(seconds));
    console.log(JSON.stringify({ events, seconds: ran, events_per_s: events / ran }));
  });
}

await (cluster.isPrimary ? lead() : work());
