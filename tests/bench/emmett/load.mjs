// How Emmett reads a stream for a decision: all of it.
// load.mjs URL fill EVENTS: appends them to one stream.
// load.mjs URL load TIMES: folds it so often; prints {"events", "p50_ms"}.
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';

const [url, action, number] = process.argv.slice(2);
const STREAM = 'follow-1';
const EVENTS_AN_APPEND = 1000;

async function fill(store, events) {
  await store.schema.migrate();
  for (let done = 0; done < events; done += EVENTS_AN_APPEND) {
    const some = Array.from({ length: EVENTS_AN_APPEND }, (_, i) => ({
      type: i % 2 === 0 ? 'Followed' : 'Unfollowed',
      data: { follower: 'ceirceirceirceirceirceirce', followee: 'eirceirceirceirceirceircei' },
    }));
    await store.appendToStream(STREAM, some);
  }
  return { events };
}

async function load(store, times) {
  const took = [];
  let count = 0;
  for (let i = 0; i < times; ++i) {
    const start = process.hrtime.bigint();
    const { state } = await store.aggregateStream(STREAM, {
      evolve: (state, { type }) => ({ following: type === 'Followed', events: state.events + 1 }),
      initialState: () => ({ following: false, events: 0 }),
    });
    took.push(Number(process.hrtime.bigint() - start) / 1e6);
    count = state.events;
  }
  took.sort((a, b) => a - b);
  return { events: count, p50_ms: took[Math.floor(took.length / 2)] };
}

const store = getPostgreSQLEventStore(url);
console.log(JSON.stringify(await (action === 'fill' ? fill : load)(store, Number(number))));
await store.close();
