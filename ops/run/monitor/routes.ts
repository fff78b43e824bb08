/** The routes of the monitor: the overview, the board over the queues, and the metrics. */

import type { Log } from '#core/base/log/log.ts';
import type { ProcessMetrics } from '#core/base/metrics/process-metrics.ts';
import { QUEUE_NAMES, type Queues } from '#core/jobs/queue.ts';
import { PERIOD_NAMES, readStatistics } from '#core/jobs/queue-statistics.ts';
import { RELEASE } from '#core/model/system/release.ts';
import {
  endedJobs,
  jobSubjects,
  latestFailures,
  type OverviewParts,
  queueOverview,
} from '#core/services/overview.ts';
import { html, type MonitorRequest, type MonitorResponse, text } from './http.ts';
import { overviewPage } from './overview-page.ts';
import type { QueueActions } from './queue-actions.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { MonitorRoute } from './server.ts';
import type { SignIn } from './sign-in.ts';
import { TotalMetrics } from './total-metrics.ts';

export interface RouteParts extends OverviewParts {
  readonly queues: Queues;
  readonly actions: QueueActions;
  readonly signIn: SignIn;
  /** The metrics of all processes. */
  readonly collect: () => Promise<readonly ProcessMetrics[]>;
  readonly log: Log;
}

const BOARD = '/queues';
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Board = (request: MonitorRequest, path: string) => Promise<MonitorResponse>;

/** Loads the board when it is first opened, because BullMQ is large. */
function boardOnDemand(parts: RouteParts): () => Promise<Board> {
  const { queues, actions, log } = parts;
  const subjects = (ids: readonly string[]) => jobSubjects(parts, ids);
  const open = async () => {
    const [{ openBoardQueues }, { openBoard }] = await Promise.all([
      import('./board-queue.ts'),
      import('./board.ts'),
    ]);
    return openBoard(await openBoardQueues(QUEUE_NAMES, { queues, actions, log, subjects }), BOARD);
  };
  let opened: Promise<Board> | null = null;
  return () => {
    if (opened !== null) return opened;
    const opening = open();
    opened = opening;
    opening.catch(() => {
      opened = null;
    });
    return opening;
  };
}

/** All routes that only the operator may use. */
export function operatorRoutes(parts: RouteParts): MonitorRoute {
  const { signIn, collect } = parts;
  const board = boardOnDemand(parts);
  const totals = new TotalMetrics();
  const queueMetrics = new QueueMetrics(parts);

  const metrics = async (): Promise<MonitorResponse> => {
    const processes = await collect();
    const body = await totals.text(processes, await queueMetrics.families(processes));
    return { status: 200, type: METRICS_TYPE, body };
  };
  const overview = async (query: URLSearchParams) => {
    const period = PERIOD_NAMES.find((name) => name === query.get('period')) ?? 'hour';
    const queue = QUEUE_NAMES.find((name) => name === query.get('queue')) ?? null;
    const [processes, queues, ended, failures, statistics] = await Promise.all([
      collect(),
      queueOverview(parts),
      endedJobs(parts),
      latestFailures(parts),
      readStatistics(parts.pool, parts.schema, period),
    ]);
    const facts = { processes, queues, ended, failures, statistics, queue };
    return html(overviewPage({ release: RELEASE, ...facts }));
  };

  return async (request) => {
    const operator = await signIn.of(request);
    if ('status' in operator) return operator;
    const { method, path } = request;
    if (path === BOARD || path.startsWith(`${BOARD}/`)) {
      return await (await board())(request, path.slice(BOARD.length) || '/');
    }
    if (path !== '/' && path !== '/metrics') return null;
    if (method !== 'GET') return text(405, 'Only GET.');
    return path === '/' ? await overview(request.query) : await metrics();
  };
}
