// @newest

import t from 'tap';
import type { HealthChecks } from '#core/base/process/health-check.ts';
import { SampledChecks } from '#core/services/health/sampled-checks.ts';

t.test('a blocked step is shared by all callers', async (t) => {
  const stuck = Promise.withResolvers<HealthChecks>();
  let rounds = 0;
  const sampled = new SampledChecks({
    every: 0,
    steps: [
      async () => ({ first: [{ status: 'ok' }] }),
      () => {
        rounds += 1;
        return stuck.promise;
      },
    ],
    late: () => ({ second: [{ status: 'error' }] }),
  });
  const late = { first: [{ status: 'ok' }], second: [{ status: 'error' }] };
  t.strictSame(await Promise.all([sampled.read(), sampled.read()]), [late, late]);
  t.strictSame(await sampled.read(), late);
  t.equal(rounds, 1, 'no check starts while the first one is running');
  stuck.resolve({ second: [{ status: 'ok' }] });
  await stuck.promise;
  const whole = { first: [{ status: 'ok' }], second: [{ status: 'ok' }] };
  t.strictSame(await sampled.read(), whole);
});

t.test('a result is reused for its time', async (t) => {
  let rounds = 0;
  const steps = [
    async (): Promise<HealthChecks> => {
      rounds += 1;
      return { round: [{ status: 'ok', observedValue: rounds }] };
    },
  ];
  const kept = new SampledChecks({ every: 3_600_000, steps, late: () => ({}) });
  t.strictSame(await kept.read(), await kept.read());
  t.equal(rounds, 1);
  const fresh = new SampledChecks({ every: 0, steps, late: () => ({}) });
  t.notSame(await fresh.read(), await fresh.read());
});

t.test('a failed check without a newer result still fails', async (t) => {
  const stuck = Promise.withResolvers<HealthChecks>();
  let rounds = 0;
  const sampled = new SampledChecks({
    every: 0,
    steps: [
      async () => {
        rounds += 1;
        return rounds === 1 ? { disk: [{ status: 'error', output: 'full' }] } : await stuck.promise;
      },
    ],
    late: (_, waited) => ({ disk: [{ status: waited < 60_000 ? 'warn' : 'error' }] }),
  });
  const failed = { disk: [{ status: 'error', output: 'full' }] };
  t.strictSame(await sampled.read(), failed);
  t.strictSame(await sampled.read(), failed);
  stuck.resolve({ disk: [{ status: 'ok' }] });
  await stuck.promise;
  t.strictSame(await sampled.read(), { disk: [{ status: 'ok' }] });
});
