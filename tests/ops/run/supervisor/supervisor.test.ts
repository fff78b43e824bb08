// @newest

import { Writable } from 'node:stream';
import { pino } from 'pino';
import t from 'tap';
import { Supervisor } from '#ops/run/supervisor/supervisor.ts';
import { until } from '#tests/harness/until.ts';

const script = new URL('stand-in/process.ts', import.meta.url).pathname;
const env = (behaviour: string) => ({ PATH: process.env.PATH, STAND_IN: behaviour });

function collect(): { lines: Record<string, unknown>[]; log: pino.Logger } {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, log: pino(stream) };
}

t.test('pauses between crashes double up to a bound', async (t) => {
  const { lines, log } = collect();
  const supervisor = new Supervisor({
    children: [{ role: 'edge', script, env: env('crashing') }],
    cwd: process.cwd(),
    log,
    backOff: { first: 10, most: 40, settled: 60_000 },
  });
  void supervisor.start();
  const pauses = () => lines.flatMap(({ pause }) => (typeof pause === 'number' ? [pause] : []));
  await until(() => pauses().length >= 4);
  await supervisor.stop(5_000, new AbortController().signal);
  t.strictSame(pauses().slice(0, 4), [10, 20, 40, 40]);
});

t.test('a process that lived a while before it crashed begins anew', async (t) => {
  const { lines, log } = collect();
  const supervisor = new Supervisor({
    children: [{ role: 'edge', script, env: env('crashing') }],
    cwd: process.cwd(),
    log,
    backOff: { first: 10, most: 40, settled: 0 },
  });
  void supervisor.start();
  await until(() => lines.length >= 3);
  await supervisor.stop(5_000, new AbortController().signal);
  t.strictSame(
    lines.slice(0, 3).map(({ pause }) => pause),
    [10, 10, 10],
  );
});

t.test('processes that do not drain in time are ended', async (t) => {
  const { log } = collect();
  const supervisor = new Supervisor({
    children: ['stubborn', 'obedient'].map((name) => ({ role: name, script, env: env(name) })),
    cwd: process.cwd(),
    log,
  });
  await supervisor.start();
  await supervisor.stop(50, new AbortController().signal);
  t.pass('all are gone');
});

t.test('a start fails when a process cannot use its configuration', async (t) => {
  const { log } = collect();
  const supervisor = new Supervisor({
    children: ['misconfigured', 'obedient'].map((name) => ({ role: name, script, env: env(name) })),
    cwd: process.cwd(),
    log,
  });
  await t.rejects(supervisor.start(), { name: 'SetupError' });
  await t.rejects(supervisor.failed, { name: 'SetupError' });
  await supervisor.stop(5_000, new AbortController().signal);
});

for (const [behaviour, message] of [
  ['beating', /sends no heartbeat/],
  ['hung', /nothing in the process makes progress/],
] as const) {
  t.test(`a process that is ${behaviour} is started again when it hangs`, async (t) => {
    const { lines, log } = collect();
    const supervisor = new Supervisor({
      children: [{ role: 'worker', script, env: env(behaviour) }],
      ...{ cwd: process.cwd(), log, watchdog: 3_000 },
      backOff: { first: 10, most: 40, settled: 60_000 },
    });
    await supervisor.start();
    const state = async () => (await supervisor.metrics())[0];
    const before = (await state())?.pid;
    if (typeof before !== 'number') throw new Error('the process does not run');
    if (behaviour === 'beating') {
      await until(async () => (await state())?.reason === null);
      process.kill(before, 'SIGSTOP');
    }
    await until(async () => {
      const { pid = null, isLive } = (await state()) ?? {};
      return pid !== null && pid !== before && isLive === true;
    });
    t.ok(lines.some(({ level, msg }) => level === 50 && message.test(String(msg))));
    await supervisor.stop(5_000, new AbortController().signal);
  });
}
