/** The response that has the cork while requests become WebSockets. */
import t from 'tap';
import { CorkHolder } from '#edge/http/cork-holder.ts';

t.test('runs an upgrade at once, before it is opened, while it is open, and after', async (t) => {
  const holder = new CorkHolder();
  const runs: string[] = [];
  holder.run(() => runs.push('before'));
  t.equal(await holder.open(), true);
  holder.run(() => runs.push('open'));
  t.same(runs, ['before', 'open']);
  holder.close();
  holder.run(() => runs.push('after'));
  t.same(runs, ['before', 'open', 'after']);
});

t.test('several stand in one process', async (t) => {
  const holders = [new CorkHolder(), new CorkHolder()];
  for (const holder of holders) await holder.open();
  const runs: number[] = [];
  holders.forEach((holder, place) => {
    holder.run(() => runs.push(place));
    holder.close();
  });
  t.same(runs, [0, 1]);
});
