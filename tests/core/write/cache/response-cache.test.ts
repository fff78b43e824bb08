// @newest @quick
/** Which answers are cached, for which callers and for how long; with stubs around the cache. */
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { EMPTY_CATALOG } from '#core/model/catalog/load-newer-catalog.ts';
import { MemoryTableVersions } from '#core/write/cache/memory-table-versions.ts';
import { ResponseCache } from '#core/write/cache/response-cache.ts';

function setUp({ maxSize = 1_000_000, maxValueSize = 1_000_000 } = {}) {
  const versions = new MemoryTableVersions();
  const state = { asked: 0, inContact: true, raise: () => {} };
  const cache = new ResponseCache({
    versions,
    affected: { keepable: (_, reads) => [...reads] },
    catalog: {
      onCounter: (name, handler) => {
        if (name === 'cache') state.raise = () => handler(1);
        return () => undefined;
      },
      inContact: () => state.inContact,
    },
    ...{ maxSize, maxValueSize, ttl: 60_000 },
  });
  const ask = async (
    name: string,
    {
      answer = `answer to ${name}`,
      caller = ANONYMOUS,
      reads = new Set(['a']),
      values = [],
      signal,
    }: {
      answer?: string | null | Promise<string>;
      caller?: Caller;
      reads?: ReadonlySet<string> | null;
      values?: unknown[];
      signal?: AbortSignal;
    } = {},
  ) => {
    const read = {
      catalog: EMPTY_CATALOG,
      caller,
      statement: { text: name, values },
      form: '',
      reads,
    };
    const run = async () => {
      state.asked += 1;
      return answer;
    };
    const found = await cache.text(read, run, signal);
    return found && { text: String(found.text), hit: found.hit };
  };
  const size = () => Number(cache.checks().cache?.[0]?.observedValue);
  return { versions, state, cache, ask, size };
}

t.test('an answer is cached until one of its tables is written to', async (t) => {
  const { ask, versions } = setUp();
  t.strictSame(await ask('q'), { text: 'answer to q', hit: false });
  t.strictSame(await ask('q'), { text: 'answer to q', hit: true });
  await versions.mark('w', ['b']);
  await versions.settle('w', ['b']);
  t.equal((await ask('q'))?.hit, true);
  await versions.mark('w', ['a']);
  t.equal((await ask('q', { answer: 'new' }))?.hit, false);
  await versions.settle('w', ['a']);
  t.strictSame(await ask('q', { answer: 'new' }), { text: 'new', hit: false });
  t.strictSame(await ask('q'), { text: 'new', hit: true });
});

t.test('changing answers, and missing items, are not cached', async (t) => {
  const { ask } = setUp();
  for (let time = 0; time < 2; time += 1) {
    t.equal((await ask('now', { reads: null }))?.hit, false);
    t.equal(await ask('none', { answer: null }), null);
    t.equal((await ask('odd', { values: [new Date()] }))?.hit, false);
  }
});

t.test('values and permissions distinguish answers', async (t) => {
  const { ask } = setUp();
  const callers = [
    ANONYMOUS,
    { ...ANONYMOUS, admin: true },
    { ...ANONYMOUS, policies: ['p'] },
    { ...ANONYMOUS, policies: ['p', 'q'] },
    { ...ANONYMOUS, policies: ['p,q'] },
    { ...ANONYMOUS, app: true },
  ];
  for (const caller of callers) t.equal((await ask('q', { caller }))?.hit, false);
  for (const caller of callers) t.equal((await ask('q', { caller }))?.hit, true);
  const lists = [['1'], [1], [null], [['1']], ['1', '2'], [['1', '2']], ['1,2']];
  for (const values of lists) t.equal((await ask('q', { values }))?.hit, false);
});

t.test('its size is limited, and that of one answer', async (t) => {
  const { ask, size } = setUp({ maxSize: 20_000, maxValueSize: 4_000 });
  const answer = 'ä'.repeat(1_500);
  for (let index = 0; index < 50; index += 1) {
    await ask(`q${index}`, { answer });
    t.ok(size() <= 20_000);
  }
  t.ok(size() > 15_000);
  t.equal((await ask('q49'))?.hit, true, 'the last ones stay');
  t.equal((await ask('q0', { answer }))?.hit, false, 'the first ones are removed');
  const long = 'ä'.repeat(2_500);
  await ask('long', { answer: long });
  t.equal((await ask('long', { answer: long }))?.hit, false);
});

t.test('simultaneous equal reads share one statement', async (t) => {
  const { ask, state, versions } = setUp();
  const { promise, resolve } = Promise.withResolvers<string>();
  const gone = new AbortController();
  const first = ask('q', { answer: promise, signal: gone.signal });
  await turn();
  const others = [ask('q', { answer: 'other' }), ask('q', { answer: 'other' })];
  await turn();
  gone.abort();
  await versions.mark('w', ['a']);
  await versions.settle('w', ['a']);
  const later = await ask('q', { answer: 'written meanwhile' });
  resolve('one');
  const all = await Promise.all([first, ...others]);
  t.strictSame(
    all.map((found) => found?.text),
    ['one', 'one', 'one'],
  );
  t.equal(later?.text, 'written meanwhile', 'except reads after a write');
  t.equal(state.asked, 2);
  t.strictSame(await ask('q'), { text: 'written meanwhile', hit: true }, 'older ones replace none');
});

t.test('no answer is cached or returned while writes may be unreported', async (t) => {
  const { ask, state } = setUp();
  await ask('q');
  t.equal((await ask('q'))?.hit, true);
  state.inContact = false;
  t.equal((await ask('q'))?.hit, false, 'no process may be notified');
  state.inContact = true;
  t.equal((await ask('q'))?.hit, true);
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = ask('slow', { answer: promise });
  await turn();
  state.raise();
  resolve('old');
  t.equal((await slow)?.text, 'old');
  t.equal((await ask('slow'))?.hit, false);
  t.equal((await ask('q'))?.hit, false);
  t.equal((await ask('q'))?.hit, false, 'for a while');
});
