/**
 * Subscribers at several edges come, go and stay while items are written in all ways: each event is heard,
 * or the subscriber began afresh after it. SECONDS says how long each queue is tried, SEED repeats the
 * chance.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { until } from '#tests/harness/until.ts';
import { AccountingSubscriber } from './fixture/event-account.ts';
import { EventWriters, prepareTables, WRITTEN } from './fixture/event-writers.ts';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
const SOAK_MS = Number(process.env.SECONDS ?? 60) * 1_000;
const SOAK_EDGES = 3;
const WRITERS = Number(process.env.WRITERS ?? 8);
/** Subscribers of each collection at each edge that stay. */
const STAYING = 2;
const HEARD_LATEST_MS = 60_000;

for (const backend of backends) {
  t.test(`every event is accounted for on ${backend.name}`, async (t) => {
    t.comment(`SEED=${SEED}`);
    const dice = new Dice(SEED);
    const cluster = await startCluster(t, {
      ...{ edges: SOAK_EDGES, workers: 1 },
      env: { WEBSOCKETS_ENABLED: 'true', WEBSOCKETS_HEARTBEAT_ENABLED: 'false', ...backend.env },
    });
    const { urls } = cluster;
    await prepareTables(cluster);
    const writers = new EventWriters(urls, dice);
    const { written } = writers;
    const all = urls.flatMap((url) =>
      WRITTEN.flatMap((collection) =>
        Array.from({ length: STAYING }, (_, index) => {
          // Who hears of creations alone cannot know what was deleted before it was read.
          const event = index === 0 || collection === 'note' ? null : 'create';
          return new AccountingSubscriber(url, ADMIN_TOKEN, collection, event);
        }),
      ),
    );
    await Promise.all(all.map((one) => one.join()));
    const loaded = new AccountingSubscriber(urls[0] ?? '', ADMIN_TOKEN, 'loaded');
    await loaded.join();
    const over = AbortSignal.timeout(SOAK_MS);
    const writing = writers.run(WRITERS, over);
    const guests: AccountingSubscriber[] = [];
    const missing = new Set<string>();
    const settle = async (one: AccountingSubscriber) => {
      const now = performance.now();
      const left = () => one.missing(written, now);
      await until(() => left().length === 0, 'nothing is missing', HEARD_LATEST_MS).catch(() => {
        for (const each of left()) missing.add(JSON.stringify(each));
      });
    };
    while (!over.aborted) {
      const guest = new AccountingSubscriber(
        urls[dice.below(urls.length)] ?? '',
        ADMIN_TOKEN,
        dice.pick(WRITTEN),
      );
      guests.push(guest);
      await guest.join();
      await delay(dice.below(1_000));
      await settle(guest);
      guest.leave();
    }
    await writing;
    await Promise.all(all.map(settle));
    const events = [...all, ...guests].reduce((sum, one) => sum + one.events, 0);
    const fresh = all.reduce((sum, one) => sum + one.begun - 1, 0);
    t.comment(
      `${written.length} items written, ${events} events heard, ${guests.length} guests, ${fresh} fresh starts, ${writers.imports} imports, ${writers.refused} refused`,
    );
    t.strictSame([...missing], [], 'each event was heard, or lies before a fresh start');
    t.equal(loaded.begun > 1, writers.imports > 0, 'an import is a fresh start');
  });
}
