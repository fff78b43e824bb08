// @newest @quick

import t from 'tap';
import { comparison } from '#tests/bench/result-row.ts';

t.test('the ratio is that of neighbours, whatever the machine did in between', async (t) => {
  const duel = { sluice: [90, 9, 80, 45], baseline: [100, 10, 100, 50] };
  const row = comparison({ id: 'a/b', title: 'a title', unit: 'rows/s' }, duel, 0.9);
  t.match(row, { value: 62.5, baseline: 75, ratio: 0.9, met: true, details: duel });
  t.match(comparison(row, duel, 0.91), { met: false });
  t.match(comparison(row, duel, null), { ratio: 0.9, goal: null, met: null });
});
