// @newest

import t from 'tap';
import type { ProcessState } from '#core/base/metrics/process-metrics.ts';
import { readinessRoute } from '#ops/run/monitor/readiness-route.ts';

function state(name: string, isLive: boolean, reason: string | null): ProcessState {
  return { name, pid: 1, families: null, isLive, reason };
}

async function ask(states: readonly ProcessState[], path: string) {
  const route = readinessRoute(async () => states);
  const request = { method: 'GET', path, query: new URLSearchParams(), headers: {}, ip: '' };
  const response = await route(request);
  if (response === null) return null;
  return { status: response.status, body: JSON.parse(String(response.body)) };
}

const WELL = [state('edge-1', true, null), state('edge-2', true, null)];

t.test('each process answers for itself', async (t) => {
  const worker = state('worker-1', true, 'It hangs.');
  const frozen = state('worker-2', false, 'It gives no sign of life for 5 s.');
  const states = [...WELL, worker, frozen];
  t.match(await ask(states, '/ready/edge-1'), { status: 200, body: { status: 'ok' } });
  t.match(await ask(states, '/ready/worker-1'), { status: 503, body: { reason: 'It hangs.' } });
  t.match(await ask(states, '/live/worker-1'), { status: 200 });
  t.match(await ask(states, '/live/worker-2'), {
    status: 503,
    body: { reason: /no sign of life/ },
  });
  t.match(await ask(states, '/ready/edge-3'), { status: 404 });
  t.equal(await ask(states, '/'), null, 'other routes are left to others');
  t.match(await ask(states, '/ready'), {
    status: 200,
    body: { processes: { 'edge-2': { status: 'ok' }, 'worker-2': { status: 'error' } } },
  });
});

t.test('a host answers for its edges, and without edges for its workers', async (t) => {
  const lost = state('edge-1', true, 'It has lost contact with the database.');
  t.match(await ask([lost, state('edge-2', true, null)], '/ready'), { status: 200 });
  t.match(await ask([lost, state('worker-1', true, null)], '/ready'), { status: 503 });
  t.match(await ask([lost], '/live'), { status: 200 });
  t.match(await ask([state('worker-1', true, null)], '/ready'), { status: 200 });
  t.match(await ask([], '/ready'), { status: 503 });
});
