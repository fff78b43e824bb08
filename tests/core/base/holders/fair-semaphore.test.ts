/** In which order the works of several holders run. */
import t from 'tap';
import {
  FairSemaphore,
  type Release,
  type SemaphoreOptions,
  type WaitingLimits,
} from '#core/base/holders/fair-semaphore.ts';

interface Options extends Omit<SemaphoreOptions, 'permits' | 'waiting'> {
  readonly permits?: number;
  readonly waiting?: Partial<WaitingLimits>;
}

/** One permit for all, unless the options differ. */
function semaphoreOf({ waiting, ...options }: Options = {}) {
  return new FairSemaphore({
    permits: 1,
    permitsPerHolder: 1,
    waiting: { refusal: (limit) => new Error(`too many of ${limit}`), ...waiting },
    ...options,
  });
}

/** Records the holders of permits; each permit is released at once. */
function note(semaphore: FairSemaphore, names: readonly string[]) {
  const order: string[] = [];
  const works = names.map((name) => semaphore.run(name, async () => void order.push(name)));
  return { order, done: Promise.all(works) };
}

t.test('holders alternate, for any number of works of one of them', async (t) => {
  const semaphore = semaphoreOf();
  const release = await semaphore.acquire('z');
  const { order, done } = note(semaphore, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
  release();
  await done;
  t.same(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

t.test('a holder with fewer running works is next', async (t) => {
  const semaphore = semaphoreOf({ permits: 3, permitsPerHolder: 2 });
  const releases: Release[] = [
    await semaphore.acquire('a'),
    await semaphore.acquire('a'),
    await semaphore.acquire('b'),
  ];
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (name) => {
    releases.push(await semaphore.acquire(name));
    order.push(name);
  });
  releases.shift()?.();
  await works[2];
  t.same(order, ['c'], 'a and b have a running work each');
  for (
    let next = releases.shift();
    next !== undefined || order.length < 3;
    next = releases.shift()
  ) {
    next?.();
    await new Promise(setImmediate);
  }
  t.equal(semaphore.waiting, 0);
});

t.test('a holder leaves permits to other holders, even without waiting works', async (t) => {
  const semaphore = semaphoreOf({ permits: 3, permitsPerHolder: 2 });
  await semaphore.acquire('a');
  await semaphore.acquire('a');
  let isThird = false;
  void semaphore.acquire('a').then(() => {
    isThird = true;
  });
  await semaphore.acquire('b');
  t.equal(isThird, false);
  t.equal(semaphore.running, 3);
});

t.test('works beyond the limits are rejected, first of the greediest holder', async (t) => {
  const semaphore = semaphoreOf({ waiting: { max: 4, maxPerHolder: 3 } });
  const release = await semaphore.acquire('z');
  const { order, done } = note(semaphore, ['a', 'a', 'b', 'c']);
  const refused = t.rejects(
    semaphore.run('a', async () => undefined),
    { message: 'too many of all' },
  );
  await refused;
  t.equal(semaphore.waiting, 4);
  release();
  await done;
  t.same(order, ['a', 'b', 'c', 'a']);
  const again = await semaphore.acquire('z');
  for (const name of ['a', 'a', 'a']) void semaphore.acquire(name).catch(() => undefined);
  await t.rejects(
    semaphore.acquire('a'),
    { message: 'too many of holder' },
    'beyond its own limit',
  );
  again();
});

t.test('an aborted work leaves the queue', async (t) => {
  const semaphore = semaphoreOf();
  const release = await semaphore.acquire('a');
  const controller = new AbortController();
  const gone = semaphore.acquire('b', controller.signal);
  const rejected = t.rejects(gone, { message: 'gone' });
  controller.abort(new Error('gone'));
  await rejected;
  await t.rejects(semaphore.acquire('b', controller.signal), { message: 'gone' });
  t.equal(semaphore.waiting, 0);
  release();
  release();
  t.equal(semaphore.running, 0);
  await semaphore.acquire('b');
});

t.test('a holder that has released its permit follows later arrivals', async (t) => {
  const semaphore = semaphoreOf({ permits: 2 });
  const releases = [await semaphore.acquire('a'), await semaphore.acquire('b')];
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (name) => {
    releases.push(await semaphore.acquire(name));
    order.push(name);
  });
  releases.shift()?.();
  await Promise.race(works);
  t.same(order, ['c']);
});

t.test('a single holder has all permits, and leaves one if others may arrive', async (t) => {
  const semaphore = semaphoreOf({ permits: 2, aloneAfter: 60_000 });
  const first = await semaphore.acquire('a');
  const second = await semaphore.acquire('a');
  t.equal(semaphore.running, 2, 'no other holder has ever arrived');
  second();
  (await semaphore.acquire('b'))();
  let isSecond = false;
  const waits = semaphore.acquire('a').then(() => {
    isSecond = true;
  });
  await semaphore.run('b', async () => undefined);
  t.equal(isSecond, false, 'the last permit is reserved for b, which may arrive again');
  first();
  await waits;

  const many = semaphoreOf({ permits: 4, aloneAfter: 60_000 });
  (await many.acquire('b'))();
  for (const name of ['a', 'a', 'a']) await many.acquire(name);
  void many.acquire('a').catch(() => undefined);
  await many.acquire('c');
  t.same([many.running, many.waiting], [4, 1], 'a has three, and c gets the fourth');

  const forgetful = semaphoreOf({ permits: 2, aloneAfter: 0 });
  await forgetful.run('b', async () => undefined);
  await forgetful.acquire('a');
  await forgetful.acquire('a');
  t.equal(forgetful.running, 2, 'b arrived long ago');
});

t.test(
  'a work beyond the permits of its holder is requested to yield, the latest one first',
  async (t) => {
    const semaphore = semaphoreOf({ permits: 3, aloneAfter: 0 });
    const asked: number[] = [];
    const releases: Release[] = [];
    for (const n of [0, 1, 2])
      releases.push(await semaphore.acquire('a', undefined, () => asked.push(n)));
    void semaphore.acquire('a').catch(() => undefined);
    t.same(asked, [], 'no other holder waits');
    const b = semaphore.acquire('b');
    t.same(asked, [2]);
    const c = semaphore.acquire('c');
    t.same(asked, [2, 1]);
    void semaphore.acquire('d').catch(() => undefined);
    t.same(asked, [2, 1], 'the first work of a holder continues');
    releases[2]?.();
    await b;
    releases[1]?.();
    await c;
    t.equal(semaphore.running, 3);
  },
);

t.test('by default a holder may have all permits, and any number of works waits', async (t) => {
  const semaphore = new FairSemaphore({ permits: 2 });
  const first = await semaphore.acquire('a');
  await semaphore.acquire('a');
  const works = Promise.all(Array.from({ length: 5 }, () => semaphore.run('a', async () => 1)));
  t.same([semaphore.running, semaphore.waiting], [2, 5]);
  first();
  t.same(await works, [1, 1, 1, 1, 1]);
  t.same([semaphore.running, semaphore.waiting], [1, 0]);
});

t.test('by arrival, the longest waiting permitted work is next', async (t) => {
  const semaphore = semaphoreOf({ permits: 2, permitsPerHolder: 1, order: 'arrival' });
  const [a, b] = [await semaphore.acquire('a'), await semaphore.acquire('b')];
  const order: string[] = [];
  const releases: Release[] = [];
  const works = ['a 1', 'b 1', 'a 2', 'c 1', 'd 1'].map(async (name) => {
    releases.push(await semaphore.acquire(name.slice(0, 1)));
    order.push(name);
  });
  b();
  await works[1];
  t.same(order, ['b 1'], 'a has its maximum of permits');
  releases.shift()?.();
  await works[3];
  t.same(order, ['b 1', 'c 1'], 'a still has them');
  a();
  await works[0];
  for (let next = releases.shift(); next !== undefined; next = releases.shift()) {
    next();
    await new Promise(setImmediate);
  }
  t.same(order, ['b 1', 'c 1', 'a 1', 'd 1', 'a 2']);

  const alternating = semaphoreOf();
  const release = await alternating.acquire('z');
  const fair = note(alternating, ['a', 'a', 'b']);
  const arriving = semaphoreOf({ order: 'arrival' });
  const other = await arriving.acquire('z');
  const first = note(arriving, ['a', 'a', 'b']);
  for (const one of [release, other]) one();
  await Promise.all([fair.done, first.done]);
  t.same(
    [fair.order, first.order],
    [
      ['a', 'b', 'a'],
      ['a', 'a', 'b'],
    ],
  );
});

t.test('a permit can be requested without waiting', async (t) => {
  const semaphore = semaphoreOf({ permits: 2 });
  const first = semaphore.tryAcquire('a');
  t.equal(semaphore.tryAcquire('a'), null, 'a has its own');
  const second = semaphore.tryAcquire('b');
  t.equal(semaphore.tryAcquire('c'), null, 'all are taken');
  t.same([semaphore.running, semaphore.waiting], [2, 0], 'no work waits');
  const waits = semaphore.acquire('a');
  second?.();
  t.equal(semaphore.tryAcquire('a'), null, 'an earlier work of a waits');
  first?.();
  (await waits)();
  t.ok(semaphore.tryAcquire('a'));
});

t.test(
  'without waiting places, a work beyond the permits of its holder is rejected at once',
  async (t) => {
    const semaphore = semaphoreOf({
      permits: Infinity,
      permitsPerHolder: 2,
      waiting: { maxPerHolder: 0 },
    });
    const release = await semaphore.acquire('a');
    await semaphore.acquire('a');
    await t.rejects(semaphore.acquire('a'), { message: 'too many of holder' });
    await semaphore.acquire('b');
    release();
    await semaphore.acquire('a');
    t.same([semaphore.running, semaphore.waiting], [3, 0]);
  },
);

t.test('a work that waits too long is rejected, with the limit that it exceeded', async (t) => {
  const semaphore = semaphoreOf({ permits: 2, waiting: { maxTime: 20 } });
  const release = await semaphore.acquire('a');
  await semaphore.acquire('b');
  await Promise.all([
    t.rejects(semaphore.acquire('a'), { message: 'too many of holder' }),
    t.rejects(semaphore.acquire('c'), { message: 'too many of all' }),
  ]);
  t.equal(semaphore.waiting, 0);
  release();
  t.equal(semaphore.running, 1, 'no permit was reserved for them');
  await semaphore.acquire('c');

  const patient = semaphoreOf({ waiting: { maxTime: 20 } });
  const held = await patient.acquire('a');
  const admitted = patient.acquire('a');
  held();
  const again = await admitted;
  await t.rejects(patient.acquire('a'), { message: 'too many of holder' }, 'as late as this one');
  t.equal(patient.running, 1, 'a work that has its permit stays');
  again();
});

t.test('each change is reported once, a release before the following permit', async (t) => {
  const changes: number[] = [];
  const semaphore = semaphoreOf({ onChange: (change) => changes.push(change) });
  const release = await semaphore.acquire('a');
  const next = semaphore.acquire('b');
  t.equal(semaphore.tryAcquire('c'), null);
  t.same(changes, [1]);
  release();
  release();
  t.same(changes, [1, -1, 1]);
  (await next)();
  t.same(changes, [1, -1, 1, -1]);
});

t.test('a permit that is granted during an abort belongs to the work', async (t) => {
  const semaphore = semaphoreOf();
  const controller = new AbortController();
  const release = await semaphore.acquire('a');
  const next = semaphore.acquire('b', controller.signal);
  release();
  controller.abort(new Error('gone'));
  (await next)();
  t.equal(semaphore.running, 0);

  const second = await semaphore.acquire('a');
  const gone = new AbortController();
  const late = semaphore.acquire('b', gone.signal);
  gone.abort(new Error('gone'));
  second();
  await t.rejects(late, { message: 'gone' });
  t.equal(semaphore.running, 0, 'an aborted work gets no permit');
});
