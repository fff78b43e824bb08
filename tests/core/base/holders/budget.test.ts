/** The amounts that the holders of a budget may take. */
import t from 'tap';
import { HolderBudget } from '#core/base/holders/budget.ts';

function budgetOf(total: number) {
  return new HolderBudget({ total, refusal: () => new Error('too much') });
}

t.test('a single holder gets one half', async (t) => {
  const budget = budgetOf(100);
  for (let taken = 0; taken < 50; taken += 10) budget.take('a', 10);
  t.throws(() => budget.take('a', 10), { message: 'too much' });
  t.equal(budget.takenBy('a'), 50);
  t.equal(budget.used, 50);
});

t.test('a new holder finds some left, for any number of holders', async (t) => {
  const budget = budgetOf(1_000);
  for (let holder = 0; holder < 8; holder += 1) {
    const name = String(holder);
    t.throws(() => {
      for (;;) budget.take(name, 1);
    });
    t.ok(budget.takenBy(name) > 0, `holder ${holder} has some`);
    t.ok(budget.used < 1_000);
  }
});

t.test('the first work of a holder may take all that is left', async (t) => {
  const budget = budgetOf(100);
  budget.take('a', 90);
  t.throws(() => budget.take('a', 1));
  budget.take('b', 10);
  t.throws(() => budget.take('c', 1));
  t.equal(budget.used, 100);
});

t.test('a hold grows, shrinks and is released once', async (t) => {
  const budget = budgetOf(100);
  const hold = budget.take('a', 10);
  hold.grow(30);
  t.equal(hold.amount, 40);
  t.throws(() => hold.grow(20), { message: 'too much' });
  t.equal(hold.amount, 40, 'the previous amount stays taken');
  hold.shrink(15);
  t.equal(budget.used, 25);
  hold.release();
  hold.release();
  hold.grow(5);
  hold.shrink(5);
  t.equal(budget.used, 0);
  t.equal(budget.holders, 0);
});

function waitingBudgetOf(total: number, wait = 60_000) {
  return new HolderBudget({ total, refusal: () => new Error('too much'), wait, maxWaiting: 3 });
}

t.test('a work waits for room, and the holder with the least is next', async (t) => {
  const budget = waitingBudgetOf(100);
  const first = budget.take('a', 30);
  const second = budget.take('a', 20);
  const other = budget.take('b', 20);
  const order: string[] = [];
  const wait = async (holder: string, amount: number, name: string) => {
    const hold = budget.take(holder, 0);
    await hold.growInTime(amount);
    order.push(name);
    return hold;
  };
  const works = [wait('a', 20, 'a'), wait('b', 20, 'b'), wait('c', 40, 'c')];
  t.equal(budget.waiting, 3);
  await t.rejects(wait('d', 90, 'd'), { message: 'too much' }, 'a further work is rejected');
  first.release();
  await works[2];
  t.strictSame(order, ['c']);
  second.release();
  other.release();
  for (const hold of await Promise.all(works)) hold.release();
  t.strictSame(order.slice().sort(), ['a', 'b', 'c']);
  t.equal(budget.used, 0);
  t.equal(budget.waiting, 0);
});

t.test('a work that finds no room in time is rejected, and takes nothing', async (t) => {
  const budget = waitingBudgetOf(100, 1);
  const hold = budget.take('a', 100);
  const late = budget.take('b', 0);
  await t.rejects(late.growInTime(10), { message: 'too much' });
  t.equal(late.amount, 0);
  t.equal(budget.waiting, 0);
  hold.release();
  t.equal(budget.used, 0);
});

t.test('the work of a released hold stops waiting', async (t) => {
  const budget = waitingBudgetOf(100);
  budget.take('a', 100);
  const hold = budget.take('b', 0);
  const waits = hold.growInTime(10);
  hold.release();
  await waits;
  t.equal(budget.takenBy('b'), 0);
});

t.test('an existing amount is counted, and moves with its holder', async (t) => {
  const budget = budgetOf(100);
  const hold = budget.take('address', 10);
  hold.count(80);
  t.equal(budget.used, 90);
  t.ok(budget.isShort('address'));
  t.notOk(budget.isShort('user'));
  hold.moveTo('user');
  t.strictSame([budget.takenBy('address'), budget.takenBy('user')], [0, 90]);
  t.throws(() => hold.grow(1), { message: 'too much' });
  hold.release();
  t.equal(budget.used, 0);
});

t.test('a work whose request is aborted stops waiting', async (t) => {
  const budget = waitingBudgetOf(100);
  const hold = budget.take('a', 100);
  const gone = new AbortController();
  const late = budget.take('b', 0).growInTime(10, gone.signal);
  gone.abort(new Error('gone'));
  await t.rejects(late, { message: 'gone' });
  await t.rejects(budget.take('b', 0).growInTime(10, gone.signal), { message: 'gone' });
  t.equal(budget.waiting, 0);
  hold.release();
  t.equal(budget.used, 0);
});

t.test('one holder leaves waiting places to other holders', async (t) => {
  const refusal = () => new Error('too much');
  const waits = { wait: 60_000, maxWaiting: 10, maxWaitingPerHolder: 2 };
  const budget = new HolderBudget({ total: 100, refusal, ...waits });
  const hold = budget.take('a', 100);
  const grow = (holder: string) => budget.take(holder, 0).growInTime(10);
  const works = [grow('b'), grow('b')];
  await t.rejects(grow('b'), { message: 'too much' });
  works.push(grow('c'));
  t.equal(budget.waiting, 3);
  hold.release();
  await Promise.all(works);
});

t.test('a negative amount is not released', async (t) => {
  const budget = budgetOf(100);
  const hold = budget.take('a', 10);
  hold.shrink(-20);
  t.strictSame([hold.amount, budget.used], [10, 10]);
  hold.shrink(4);
  hold.release();
  t.equal(budget.used, 0);
});
