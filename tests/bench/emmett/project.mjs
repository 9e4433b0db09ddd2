// Emmett's asynchronous projections: a consumer that pulls batches and hands them to a projector.
// project.mjs URL fill EVENTS KEYS DATA_BYTES: appends them, so many over so many streams.
// project.mjs URL project BATCH: counts all events by stream into a table, from the first one on;
// prints {"events", "seconds", "events_per_s"}.
// The projection is the leanest kind that it has, raw SQL, which here is one upsert a batch; its
// projector gives it batches of one event.
import { randomUUID } from 'node:crypto';
import { SQL } from '@event-driven-io/dumbo';
import {
  getPostgreSQLEventStore,
  postgreSQLEventStoreConsumer,
  postgreSQLRawBatchSQLProjection,
} from '@event-driven-io/emmett-postgresql';

const [url, action, ...rest] = process.argv.slice(2);

async function fill(events, keys, dataBytes) {
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  const text = 'x'.repeat(dataBytes);
  const each = Math.ceil(events / keys);
  let next = 0;
  const loop = async () => {
    while (next < keys) {
      const name = `counter-${next++}`;
      const some = Array.from({ length: each }, () => ({ type: 'PointsEarned', data: { name, text } }));
      await store.appendToStream(name, some, { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' });
    }
  };
  await Promise.all(Array.from({ length: 8 }, loop));
  await store.close();
  console.log(JSON.stringify({ events: each * keys }));
}

async function project(batchSize) {
  let events = 0;
  const counters = postgreSQLRawBatchSQLProjection({
    name: `counters-${randomUUID()}`,
    canHandle: ['PointsEarned'],
    init: () => [
      SQL`DROP TABLE IF EXISTS counter`,
      SQL`CREATE TABLE counter (name text COLLATE "C" PRIMARY KEY, count bigint NOT NULL)`,
    ],
    evolve: (batch) => {
      const deltas = new Map();
      for (const event of batch) deltas.set(event.data.name, (deltas.get(event.data.name) ?? 0) + 1);
      events += batch.length;
      const sorted = [...deltas].sort();
      const names = `{${sorted.map(([name]) => name).join(',')}}`;
      const counts = `{${sorted.map(([, count]) => count).join(',')}}`;
      return [
        SQL`INSERT INTO counter AS held (name, count)
            SELECT * FROM unnest(${names}::text[], ${counts}::bigint[])
            ON CONFLICT (name) DO UPDATE SET count = held.count + excluded.count`,
      ];
    },
  });
  const consumer = postgreSQLEventStoreConsumer({
    connectionString: url,
    stopWhen: { noMessagesLeft: true },
    pulling: { batchSize },
  });
  consumer.projector({ processorId: `counters-${randomUUID()}`, projection: counters, startFrom: 'BEGINNING' });
  const started = Date.now();
  await consumer.start();
  const seconds = (Date.now() - started) / 1000;
  await consumer.close();
  if (events === 0) process.exit(1);
  console.log(JSON.stringify({ events, seconds, events_per_s: events / seconds }));
}

await (action === 'fill' ? fill(...rest.map(Number)) : project(Number(rest[0])));
