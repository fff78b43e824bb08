/** What is remembered of changes for those who are late. */
import t from 'tap';
import { ChangeLog } from '#core/live/change-log.ts';

const change = (...keys: string[]) =>
  ({ collection: 'note', action: 'create', keys, user: null }) as const;
const many = (count: number) => Array.from({ length: count }, (_, index) => String(index));

t.test('each follows a number', async (t) => {
  const log = new ChangeLog();
  for (const key of ['a', 'b', 'c']) log.add(change(key));
  t.equal(log.last, 3);
  t.equal(log.forgotten, 0);
  t.same(
    log.after(1).map(({ number, change: { keys } }) => [number, keys]),
    [
      [2, ['b']],
      [3, ['c']],
    ],
  );
  t.same(log.after(3), []);
});

t.test('as many as are read for at a time', async (t) => {
  const log = new ChangeLog();
  for (let count = 0; count < 4; count += 1) log.add(change(...many(600)));
  log.add(change(...many(2_000)));
  t.same(
    log.after(0).map(({ number }) => number),
    [1],
  );
  t.same(
    log.after(4).map(({ number }) => number),
    [5],
    'one is always read for',
  );
});

t.test('the oldest are forgotten when there are too many, or too many keys', async (t) => {
  const log = new ChangeLog();
  for (let count = 0; count < 1_500; count += 1) log.add(change('a'));
  t.equal(log.forgotten, 500);
  t.equal(log.after(0)[0]?.number, 501, 'what follows is still there');
  for (let count = 0; count < 60; count += 1) log.add(change(...many(200)));
  t.equal(log.last, 1_560);
  t.equal(log.forgotten, 1_510);
});
