/**
 * `/live` and `/ready`: which processes of this host are live, and which can do their work. Load
 * balancers and container platforms query them without credentials.
 */
import type { ProcessState } from '#core/base/metrics/process-metrics.ts';
import type { MonitorResponse } from './http.ts';
import type { MonitorRoute } from './server.ts';

interface Shown {
  readonly status: 'ok' | 'error';
  readonly reason?: string;
}

/** The public state of a process. */
function shownOf(question: 'live' | 'ready', { isLive, reason }: ProcessState): Shown {
  const isWell = question === 'live' ? isLive : isLive && reason === null;
  if (isWell) return { status: 'ok' };
  return { status: 'error', ...(reason === null ? {} : { reason }) };
}

function json(status: number, body: unknown): MonitorResponse {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` };
}

/** The state of a host depends on its edges; without edges, on its workers. */
function isWell(processes: ReadonlyMap<string, Shown>): boolean {
  const named = (role: string) =>
    [...processes].filter(([name]) => name.startsWith(`${role}-`)).map(([, shown]) => shown);
  const edges = named('edge');
  return (edges.length > 0 ? edges : named('worker')).some(({ status }) => status === 'ok');
}

/** @param collect the processes of this host */
export function readinessRoute(collect: () => Promise<readonly ProcessState[]>): MonitorRoute {
  let asked: Promise<readonly ProcessState[]> | null = null;
  const states = async () => {
    asked ??= collect().finally(() => {
      asked = null;
    });
    return await asked;
  };
  return async ({ method, path }) => {
    const [, question, wanted] = /^\/(live|ready)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (question !== 'live' && question !== 'ready') return null;
    if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'error' });
    const processes = new Map(
      (await states()).map((state) => [state.name, shownOf(question, state)]),
    );
    if (wanted === undefined) {
      const well = isWell(processes);
      const status = well ? 'ok' : 'error';
      return json(well ? 200 : 503, { status, processes: Object.fromEntries(processes) });
    }
    const shown = processes.get(wanted);
    if (shown === undefined) {
      return json(404, { status: 'error', reason: 'There is no such process.' });
    }
    return json(shown.status === 'ok' ? 200 : 503, shown);
  };
}
