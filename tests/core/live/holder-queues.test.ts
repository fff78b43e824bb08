/** When the works of holders run. */
import t from 'tap';
import { HolderQueues } from '#core/live/holder-queues.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('thousands of works of a holder do not delay those of another', async (t) => {
  const queues = new HolderQueues(3);
  let done = 0;
  const work = async () => {
    await turn();
    done += 1;
  };
  for (let count = 0; count < 6_000; count += 1) queues.add('a', { run: work });
  t.equal(queues.loadOf('a'), 6_000);
  await queues.run('b', async () => {
    t.ok(done < 10, `${done} came before it`);
  });
  t.ok(queues.loadOf('a') > 5_900);
});

t.test('a work that hangs takes a permit, and the others of its holder go on', async (t) => {
  const queues = new HolderQueues(3);
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = queues.run('a', () => promise);
  t.equal(await queues.run('a', async () => 1), 1);
  const second = queues.run('a', () => promise);
  t.equal(await queues.run('b', async () => 2), 2, 'a permit is left to others');
  const third = queues.run('a', async () => 3);
  t.equal(queues.loadOf('a'), 3);
  resolve();
  t.equal(await third, 3);
  await Promise.all([hanging, second]);
  t.equal(queues.loadOf('a'), 0);
});

t.test('a work may be taken back, and its failure is that of whoever asked', async (t) => {
  const queues = new HolderQueues(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queues.run('a', () => promise);
  await turn();
  const never = { run: async () => void t.fail('it was taken back') };
  queues.add('a', never);
  queues.remove('a', never);
  resolve();
  await first;
  await t.rejects(
    queues.run('a', async () => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  t.equal(await queues.run('a', async () => 1), 1);
});
