/** In which order the works of several holders run. */
import t from 'tap';
import { type EndTurn, Turns, type TurnsOptions } from '#core/holders/turns.ts';

function turnsOf(options: Partial<TurnsOptions> = {}) {
  return new Turns({
    slots: 1,
    slotsPerHolder: 1,
    maxWaitingPerHolder: 100,
    maxWaiting: 1_000,
    refusal: () => new Error('too many'),
    ...options,
  });
}

/** Notes who had a turn; each turn ends at once. */
function note(turns: Turns, names: readonly string[]) {
  const order: string[] = [];
  const works = names.map((name) => turns.run(name, async () => void order.push(name)));
  return { order, done: Promise.all(works) };
}

t.test('holders alternate, however many works one of them has', async (t) => {
  const turns = turnsOf();
  const end = await turns.take('z');
  const { order, done } = note(turns, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
  end();
  await done;
  t.same(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

t.test('a holder with fewer running works comes first', async (t) => {
  const turns = turnsOf({ slots: 3, slotsPerHolder: 2 });
  const ends: EndTurn[] = [await turns.take('a'), await turns.take('a'), await turns.take('b')];
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (name) => {
    ends.push(await turns.take(name));
    order.push(name);
  });
  ends.shift()?.();
  await works[2];
  t.same(order, ['c'], 'a and b have a running work each');
  for (let end = ends.shift(); end !== undefined || order.length < 3; end = ends.shift()) {
    end?.();
    await new Promise(setImmediate);
  }
  t.equal(turns.waiting, 0);
});

t.test('a holder leaves slots to others, even when nobody waits', async (t) => {
  const turns = turnsOf({ slots: 3, slotsPerHolder: 2 });
  await turns.take('a');
  await turns.take('a');
  let isThird = false;
  void turns.take('a').then(() => {
    isThird = true;
  });
  await turns.take('b');
  t.equal(isThird, false);
  t.equal(turns.running, 3);
});

t.test('works beyond the bounds are refused, those of the greediest first', async (t) => {
  const turns = turnsOf({ maxWaitingPerHolder: 3, maxWaiting: 4 });
  const end = await turns.take('z');
  const { order, done } = note(turns, ['a', 'a', 'b', 'c']);
  const refused = t.rejects(
    turns.run('a', async () => undefined),
    { message: 'too many' },
  );
  await refused;
  t.equal(turns.waiting, 4);
  end();
  await done;
  t.same(order, ['a', 'b', 'c', 'a']);
  const again = await turns.take('z');
  for (const name of ['a', 'a', 'a']) void turns.take(name).catch(() => undefined);
  await t.rejects(turns.take('a'), { message: 'too many' }, 'beyond its own bound');
  again();
});

t.test('an aborted work gives its place up', async (t) => {
  const turns = turnsOf();
  const end = await turns.take('a');
  const controller = new AbortController();
  const gone = turns.take('b', controller.signal);
  const rejected = t.rejects(gone, { message: 'gone' });
  controller.abort(new Error('gone'));
  await rejected;
  await t.rejects(turns.take('b', controller.signal), { message: 'gone' });
  t.equal(turns.waiting, 0);
  end();
  end();
  t.equal(turns.running, 0);
  await turns.take('b');
});

t.test('a holder whose turn has ended comes after those that came meanwhile', async (t) => {
  const turns = turnsOf({ slots: 2 });
  const ends = [await turns.take('a'), await turns.take('b')];
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (name) => {
    ends.push(await turns.take(name));
    order.push(name);
  });
  ends.shift()?.();
  await Promise.race(works);
  t.same(order, ['c']);
});

t.test('a holder alone has all slots, and leaves one as long as others may come', async (t) => {
  const turns = turnsOf({ slots: 2, aloneAfter: 60_000 });
  const first = await turns.take('a');
  const second = await turns.take('a');
  t.equal(turns.running, 2, 'nobody else has ever come');
  second();
  (await turns.take('b'))();
  let isSecond = false;
  const waits = turns.take('a').then(() => {
    isSecond = true;
  });
  await turns.run('b', async () => undefined);
  t.equal(isSecond, false, 'the last slot is for b, which may come again');
  first();
  await waits;

  const many = turnsOf({ slots: 4, aloneAfter: 60_000 });
  (await many.take('b'))();
  for (const name of ['a', 'a', 'a']) await many.take(name);
  void many.take('a').catch(() => undefined);
  await many.take('c');
  t.same([many.running, many.waiting], [4, 1], 'a has three, and c finds the fourth');

  const forgetful = turnsOf({ slots: 2, aloneAfter: 0 });
  await forgetful.run('b', async () => undefined);
  await forgetful.take('a');
  await forgetful.take('a');
  t.equal(forgetful.running, 2, 'b came long ago');
});

t.test(
  'a work beyond the slots of its holder is asked to give way, the latest one first',
  async (t) => {
    const turns = turnsOf({ slots: 3, aloneAfter: 0 });
    const asked: number[] = [];
    const ends: EndTurn[] = [];
    for (const n of [0, 1, 2]) ends.push(await turns.take('a', undefined, () => asked.push(n)));
    void turns.take('a').catch(() => undefined);
    t.same(asked, [], 'nobody else waits');
    const b = turns.take('b');
    t.same(asked, [2]);
    const c = turns.take('c');
    t.same(asked, [2, 1]);
    void turns.take('d').catch(() => undefined);
    t.same(asked, [2, 1], 'the first work of a holder goes on');
    ends[2]?.();
    await b;
    ends[1]?.();
    await c;
    t.equal(turns.running, 3);
  },
);
