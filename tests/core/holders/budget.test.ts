/** What the holders of a budget may take. */
import t from 'tap';
import { HolderBudget } from '#core/holders/budget.ts';

function budgetOf(total: number) {
  return new HolderBudget({ total, refusal: () => new Error('too much') });
}

t.test('a holder alone takes one half', async (t) => {
  const budget = budgetOf(100);
  for (let taken = 0; taken < 50; taken += 10) budget.take('a', 10);
  t.throws(() => budget.take('a', 10), { message: 'too much' });
  t.equal(budget.takenBy('a'), 50);
  t.equal(budget.used, 50);
});

t.test('a holder that has nothing finds something left, however many there are', async (t) => {
  const budget = budgetOf(1_000);
  for (let holder = 0; holder < 8; holder += 1) {
    const name = String(holder);
    t.throws(() => {
      for (;;) budget.take(name, 1);
    });
    t.ok(budget.takenBy(name) > 0, `holder ${holder} has something`);
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

t.test('a hold grows, shrinks and is given back once', async (t) => {
  const budget = budgetOf(100);
  const hold = budget.take('a', 10);
  hold.grow(30);
  t.equal(hold.amount, 40);
  t.throws(() => hold.grow(20), { message: 'too much' });
  t.equal(hold.amount, 40, 'what was taken before stays taken');
  hold.shrink(15);
  t.equal(budget.used, 25);
  hold.release();
  hold.release();
  hold.grow(5);
  hold.shrink(5);
  t.equal(budget.used, 0);
  t.equal(budget.holders, 0);
});
