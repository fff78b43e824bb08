// @newest
/**
 * Random writes through one edge, random rules of subscribers on another: each is told of exactly what a
 * read shows him after a write, and of what it showed him before a deletion.
 */
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { createMember } from '#tests/harness/member.ts';
import { openSocket, type TestSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';

const WRITES = Number(process.env.WRITES ?? 60);
const SEED = Number(process.env.SEED ?? 20_261_123);
const MEMBERS = 6;
const dice = new Dice(SEED);

const cluster = await startCluster(t, {
  edges: 2,
  // On a busy machine it takes longer than clients may be silent.
  env: { WEBSOCKETS_ENABLED: 'true', WEBSOCKETS_HEARTBEAT_ENABLED: 'false' },
});
const { db, urls } = cluster;
await db.query(`
  CREATE TABLE topic (id serial PRIMARY KEY, name text, open boolean);
  CREATE TABLE note (id serial PRIMARY KEY, title text, n numeric(6, 2), at timestamptz, tags text[],
    extra jsonb, owner uuid, topic int REFERENCES topic);
  INSERT INTO topic (name, open) VALUES ('a', true), ('b', false)`);
await cluster.served('/items/note?fields=topic.name');

interface Asked {
  readonly fields: readonly string[];
  readonly filter?: object;
  readonly sort?: readonly string[];
}

const rules = [
  {},
  { n: { _gt: 5 } },
  { title: { _in: ['a', 'b'] } },
  { owner: { _eq: '$CURRENT_USER' } },
  { topic: { open: { _eq: true } } },
  { _or: [{ n: { _null: true } }, { extra: { _nnull: true } }] },
  { _and: [{ title: { _neq: 'c' } }, { at: { _gt: '2026-01-01T00:00:00Z' } }] },
] as const;
const fields = ['id', 'title', 'n', 'at', 'tags', 'extra', 'owner', 'topic'] as const;
const queries: readonly [Asked, ...Asked[]] = [
  { fields: ['*'] },
  { fields: ['id', 'title'], filter: { n: { _lt: 8 } } },
  { fields: ['id', 'topic.name', 'n'], sort: ['-n'] },
  { fields: ['id', 'tags', 'extra'], filter: { title: { _nnull: true } } },
];

/** A row that everybody hears of, whatever his rules and his question. */
const MARK = { title: 'mark', n: 6 };
const MARKED = { title: { _eq: MARK.title } };

function pick<T>(list: readonly [T, ...T[]]): T {
  return dice.pick(list);
}

async function someone(t: Test) {
  const shown = fields.filter((name) => name === 'id' || dice.below(3) > 0);
  const query = pick(queries);
  const member = await createMember(cluster, [
    {
      action: 'read',
      collection: 'note',
      fields: [...shown, 'n', 'title', 'topic'],
      permissions: pick(rules),
    },
    ...(dice.below(2) === 0
      ? [
          {
            action: 'read',
            collection: 'note',
            fields: [...fields],
            permissions: pick(rules),
          } as const,
        ]
      : []),
    { action: 'read', collection: 'topic' },
    { action: 'read', collection: 'note', fields: ['id', 'title', 'n'], permissions: MARKED },
  ]);
  // Columns that nobody may see are refused in both ways, so each asks for what he may.
  const isAllowed = (await member.send('SEARCH', '/items/note', { query })).status === 200;
  const asked: Asked = isAllowed ? query : { fields: ['id', 'title'] };
  const socket = await openSocket(`${urls[0]}/websocket`, [], member.token);
  t.teardown(() => socket.close());
  socket.send({ type: 'subscribe', collection: 'note', query: asked });
  t.match(await socket.next(), { event: 'init', data: [] });
  const read = async (keys: readonly number[]) => {
    if (keys.length === 0) return new Map<number, unknown>();
    const own = asked.filter === undefined ? [] : [asked.filter];
    const filter = { _and: [...own, { id: { _in: keys } }] };
    const question = { ...asked, filter, limit: -1 };
    // An edge that hears only now of a member made with SQL does not begin a stream.
    const body = await until(async () => {
      const answer = await member.send('SEARCH', '/items/note', { query: question });
      return answer.status === 503 ? null : answer.body;
    }, 'the items');
    return new Map<number, unknown>(body.data.map((item: { id: number }) => [item.id, item]));
  };
  return { member, socket, read };
}

function values(owners: readonly string[]) {
  const all = {
    title: pick(['a', 'b', 'c', null]),
    n: pick([null, 1, 5.25, 7, 9.5]),
    at: pick([null, '2025-01-01T00:00:00Z', '2026-06-01T00:00:00Z']),
    tags: pick([null, [], ['x,"y"', 'z']]),
    extra: pick([null, { a: [1, null] }, 'text']),
    owner: owners[dice.below(owners.length)] ?? null,
    topic: pick([null, 1, 2]),
  };
  const names = Object.entries(all).filter(() => dice.below(3) > 0);
  return Object.fromEntries(names);
}

/**
 * What a subscriber heard of before he heard of the mark. Null after a fresh start, which has everything in
 * it: a busy machine can keep an edge from hearing of the others.
 */
async function heardBefore(socket: TestSocket, mark: number) {
  const isMark = (one: unknown) => v.is(v.looseObject({ id: v.literal(mark) }), one);
  const events: { event: string; data: Set<unknown> }[] = [];
  for (let isFresh = false; ; ) {
    const message = v.parse(HEARD, await socket.next());
    const data = message.data.filter((one) => !isMark(one));
    if (message.event === 'init') isFresh = true;
    else if (message.event === 'create' && events.at(-1)?.event === 'create') {
      // Each created item has a message of its own.
      for (const one of data) events.at(-1)?.data.add(one);
    } else if (data.length > 0) events.push({ event: message.event, data: new Set(data) });
    if (data.length < message.data.length) return isFresh ? null : events;
  }
}
const HEARD = v.looseObject({ event: v.string(), data: v.array(v.unknown()) });

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${urls[1]}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.status === 204 ? null : JSON.parse(await answer.text()).data;
};

t.test(`with the seed ${SEED}`, async (t) => {
  const people: Awaited<ReturnType<typeof someone>>[] = [];
  while (people.length < MEMBERS) people.push(await someone(t));
  const owners = people.map(({ member }) => member.id);
  let there: number[] = [];
  let told = 0;
  const some = () => there.filter(() => dice.below(3) === 0).slice(0, 5);
  for (let write = 0; write < WRITES; write += 1) {
    const action =
      there.length < 4 ? 'create' : pick(['create', 'update', 'update', 'delete'] as const);
    let keys = action === 'create' ? [] : some();
    if (action !== 'create' && keys.length === 0) continue;
    const before = await Promise.all(people.map(({ read }) => read(keys)));
    if (action === 'create') {
      const items = Array.from({ length: 1 + dice.below(3) }, () => values(owners));
      keys = (await ask('POST', '/items/note?fields=id', items)).map(
        ({ id }: { id: number }) => id,
      );
      there.push(...keys);
    } else if (action === 'update') {
      await ask('PATCH', '/items/note', { keys, data: { title: 'u', ...values(owners) } });
    } else {
      await ask('DELETE', '/items/note', keys);
      there = there.filter((key) => !keys.includes(key));
    }
    const after = await Promise.all(people.map(({ read }) => read(keys)));
    const { id: mark } = await ask('POST', '/items/note?fields=id', MARK);
    for (const [index, { socket }] of people.entries()) {
      const wanted =
        action === 'delete'
          ? keys.filter((key) => before[index]?.has(key))
          : keys.flatMap((key) => after[index]?.get(key) ?? []);
      const heard = await heardBefore(socket, mark);
      if (heard === null) continue;
      t.strictSame(heard, wanted.length > 0 ? [{ event: action, data: new Set(wanted) }] : []);
      told += heard.length;
    }
  }
  t.ok(told > WRITES / 2, `${told} events`);
});
