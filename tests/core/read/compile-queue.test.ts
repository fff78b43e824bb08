/** The order in which queries are compiled, and other work that may run meanwhile. */
import t from 'tap';
import { CompileQueue } from '#core/read/compile-queue.ts';

/** Takes as long as compiling a large query. */
function busy(): void {
  const end = performance.now() + 6;
  while (performance.now() < end);
}

t.test('queries of holders are compiled in turn, and other work runs between them', async (t) => {
  const queue = new CompileQueue();
  const order: string[] = [];
  let isOver = false;
  let rounds = 0;
  const count = () => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const works = ['a', 'a', 'a', 'a', 'b'].map((holder) =>
    queue.run(holder, () => {
      busy();
      order.push(`${holder} ${rounds}`);
    }),
  );
  await Promise.all(works);
  isOver = true;
  t.same(
    order.map((one) => one.slice(0, 1)),
    ['a', 'b', 'a', 'a', 'a'],
  );
  t.equal(new Set(order).size, 5, 'each in a separate round of the event loop');
});

t.test('a query with an error leaves the queue', async (t) => {
  const queue = new CompileQueue();
  const failed = queue.run('a', () => {
    throw new Error('no such field');
  });
  await t.rejects(failed, { message: 'no such field' });
  t.equal(await queue.run('a', () => 1), 1);
});
