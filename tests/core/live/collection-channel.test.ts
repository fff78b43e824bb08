/** What the subscribers of one collection hear while some of them are slow, fail or change their rights. */

import t from 'tap';
import { ALL_GRANTS, ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, unavailable } from '#core/base/errors/service-error.ts';
import { CollectionChannel } from '#core/live/collection-channel.ts';
import { HolderQueues } from '#core/live/holder-queues.ts';
import type { FoundItems, RequestedItems, SubscriberContext } from '#core/live/live-item-reader.ts';
import { LIVE_ACTIONS, type LiveEvent, type Subscriber } from '#core/live/subscriber.ts';
import type { Change } from '#core/write/changes/change.ts';
import { until } from '#tests/harness/until.ts';

const CATALOG = {
  ...{ version: 1, collections: new Map(), relations: new Map(), leftOut: [], warnings: [] },
};
/** Somebody who keeps what it hears. */
class Listener implements Subscriber {
  readonly collection = 'note';
  readonly item = null;
  readonly question: Subscriber['question'];
  readonly actions = new Set(LIVE_ACTIONS);
  readonly heard: string[] = [];
  readonly missed: string[] = [];
  readonly lost: unknown[] = [];
  readonly user: string;
  rights = 'all';
  readonly #caller: Caller;

  constructor(user: string, text: string) {
    this.user = user;
    this.question = {
      text,
      query: () => {
        throw new TypeError('nobody parses it');
      },
    };
    this.#caller = { ...ANONYMOUS, user };
  }

  async caller(): Promise<Caller> {
    if (this.rights === 'none') throw forbidden();
    return this.#caller;
  }

  hear(event: LiveEvent): void {
    const keys = event.action === 'delete' ? event.keys : event.items.map(({ key }) => key);
    this.heard.push(...keys);
  }

  miss(reason: string): void {
    this.missed.push(reason);
  }

  lose(error: unknown): void {
    this.lost.push(error);
  }
}

function fixture(slots = 3) {
  /** What reading for a question waits for, or throws. */
  const faults = new Map<string, () => Promise<void>>();
  const read: string[] = [];
  const reads = {
    async contextOf(
      subscriber: Subscriber,
      known: SubscriberContext | null,
    ): Promise<SubscriberContext> {
      const caller = await subscriber.caller();
      const rights = subscriber instanceof Listener ? subscriber.rights : '';
      const name = `${subscriber.question.text} ${rights}`;
      if (known?.name === name) return known;
      return { caller, catalog: CATALOG, grants: ALL_GRANTS, name };
    },
    async find(
      _: string,
      { text }: Subscriber['question'],
      { name }: SubscriberContext,
      { written, deleted }: RequestedItems,
    ): Promise<FoundItems> {
      read.push(name);
      await new Promise(setImmediate);
      await faults.get(text ?? '')?.();
      const found = (keys: readonly string[]) =>
        new Map(keys.map((key) => [key, { key, text: '{}' }]));
      return { existing: found(written), deleted: found(deleted) };
    },
  };
  const channel = new CollectionChannel({
    ...{ collection: 'note', reads, queues: new HolderQueues(slots), warn: () => undefined },
  });
  const join = async (user: string, text: string) => {
    const listener = new Listener(user, text);
    channel.join(listener, await reads.contextOf(listener, null));
    return listener;
  };
  const write = (key: string, action: Change['action'] = 'create') =>
    channel.add([
      { change: { collection: 'note', action, keys: [key], user: null }, isComplete: true },
    ]);
  return { channel, faults, read, join, write };
}

t.test(
  'a question whose answer hangs delays nobody else, and hears of everything later',
  async (t) => {
    const { faults, join, write } = fixture();
    const { promise, resolve } = Promise.withResolvers<void>();
    faults.set('slow', () => promise);
    const [slow, other, same] = [
      await join('a', 'slow'),
      await join('b', 'quick'),
      await join('a', 'quick'),
    ];
    for (const key of ['1', '2', '3']) {
      write(key);
      await until(() => other.heard.includes(key), 'the other hears of it');
    }
    t.same(same.heard, ['1', '2', '3'], 'so does another question of the same user');
    t.same(slow.heard, []);
    resolve();
    await until(() => slow.heard.length === 3, 'the slow one');
    t.same(slow.heard, ['1', '2', '3'], 'in order');
  },
);

t.test('a group that fails loses its own members only', async (t) => {
  const { faults, join, write } = fixture();
  faults.set('broken', () =>
    Promise.reject(unavailable('database', reason('database_unreachable'))),
  );
  faults.set('wrong', () => Promise.reject(forbidden()));
  const [broken, wrong, other] = [
    await join('a', 'broken'),
    await join('a', 'wrong'),
    await join('a', 'quick'),
  ];
  write('1');
  await until(() => broken.missed.length + wrong.lost.length === 2, 'both failed');
  await until(() => other.heard.length === 1, 'the other hears of it');
  t.same([other.missed, other.lost], [[], []]);
  faults.clear();
  write('2');
  await until(() => broken.heard.length === 1, 'whoever missed something goes on');
  t.same(broken.heard, ['2'], 'what was missed is not told');
  t.same(wrong.heard, [], 'whoever lost the right does not');
});

t.test('who shares a question with a busy user hears by turns of his own', async (t) => {
  const { join, write, read } = fixture(2);
  for (let number = 0; number < 500; number += 1) await join('a', `own ${number}`);
  const busy = await join('a', 'shared');
  const other = await join('b', 'shared');
  write('1');
  await until(() => other.heard.length === 1, 'it is told');
  t.ok(read.length < 20, `${read.length} were read for until then`);
  await until(() => read.length === 501, 'the others');
  t.same(busy.heard, ['1'], 'for both it was read once');
  t.equal(read.filter((name) => name === 'shared all').length, 1);
});

t.test('who is too late begins again, and others do not', async (t) => {
  const { faults, join, write } = fixture();
  const { promise, resolve } = Promise.withResolvers<void>();
  faults.set('slow', () => promise);
  const [slow, other] = [await join('a', 'slow'), await join('b', 'quick')];
  for (let number = 0; number < 2_500; number += 1) {
    write(String(number));
    if (number % 100 === 0) await until(() => other.heard.includes(String(number)), 'the other');
  }
  await until(() => other.heard.length === 2_500, 'all events');
  t.same(
    other.heard.map(Number),
    Array.from({ length: 2_500 }, (_, index) => index),
    'in order',
  );
  resolve();
  await until(() => slow.missed.length === 1, 'the slow one missed something');
  t.same(other.missed, []);
  write('last');
  await until(() => slow.heard.includes('last'), 'the slow one goes on');
});

t.test('rights that change while it is read are those that count', async (t) => {
  const { faults, join, write, read } = fixture();
  const [first, second, third] = [await join('a', 'q'), await join('b', 'q'), await join('c', 'q')];
  faults.set('q', async () => {
    second.rights = 'few';
    third.rights = 'none';
    faults.clear();
  });
  write('1');
  await until(() => second.heard.length === 1 && third.lost.length === 1, 'all of them');
  t.same(first.heard, ['1']);
  t.same(third.heard, []);
  t.same(read, ['q all', 'q few']);
});

t.test('a doubt is settled without a change, for whom it concerns', async (t) => {
  const { channel, join, read } = fixture();
  const [one, other] = [await join('a', 'q'), await join('b', 'q')];
  one.rights = 'none';
  channel.doubt(one);
  await until(() => one.lost.length === 1, 'it is told');
  t.same([other.lost, other.missed, read], [[], [], []]);
  t.equal(channel.size, 1);
});

t.test('too much at once is a fresh start for whom it concerns', async (t) => {
  const { channel, join, write } = fixture();
  const listener = await join('a', 'q');
  write('1');
  channel.add([
    {
      change: { collection: 'note', action: 'import', keys: null, user: null },
      isComplete: true,
    },
  ]);
  t.equal(listener.missed.length, 1);
  write('2', 'delete');
  await until(() => listener.heard.length > 0, 'what follows');
  t.same(listener.heard, ['2'], 'what was before is part of the fresh start');
  channel.add([
    {
      change: { collection: 'note', action: 'delete', keys: ['3'], user: null },
      isComplete: false,
    },
  ]);
  t.equal(listener.missed.length, 2, 'a deleted row that was not kept');
});
