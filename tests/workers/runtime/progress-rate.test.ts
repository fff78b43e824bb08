// @newest @quick
import t from 'tap';
import { ProgressRate } from '#workers/runtime/progress-rate.ts';

t.test('rates and the time left come from the last seconds', async (t) => {
  const rate = new ProgressRate();
  const first = { rows: 0, bytes: 0, percent: 0 };
  t.strictSame(rate.next(first, 0), first, 'one report has no rate');
  t.strictSame(rate.next({ rows: 100, bytes: 1_000, percent: 10 }, 1_000), {
    ...{ rows: 100, bytes: 1_000, percent: 10 },
    ...{ rows_per_second: 100, bytes_per_second: 1_000, seconds_left: 9 },
  });
  rate.next({ rows: 100, bytes: 1_000, percent: 10 }, 10_000);
  t.match(rate.next({ rows: 100, bytes: 1_000, percent: 10 }, 15_000), {
    ...{ rows_per_second: 0, bytes_per_second: 0, seconds_left: null },
  });
  t.match(rate.next({ rows: 105, bytes: 1_010, percent: null }, 20_000), {
    ...{ rows_per_second: 1, bytes_per_second: 2, seconds_left: null },
  });
});
