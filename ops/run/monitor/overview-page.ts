/** The first page of the monitor, rendered on the server without scripts. */

import { tokenStyleSheet } from '#core/base/design/style-sheet.ts';
import type { ProcessMetrics } from '#core/base/metrics/process-metrics.ts';
import { escapeHtml } from '#core/base/text/escape-html.ts';
import type { QueueStatistics } from '#core/jobs/queue-statistics.ts';
import type { EndedJobs, FailedJob, QueueFacts } from '#core/services/overview.ts';
import { CURVE_STYLE, curvesPart } from './curves.ts';

export interface OverviewFacts {
  readonly release: string;
  readonly processes: readonly ProcessMetrics[];
  readonly queues: readonly QueueFacts[];
  readonly ended: readonly EndedJobs[];
  readonly failures: readonly FailedJob[];
  readonly statistics: QueueStatistics;
  /** The queue whose curves are shown; null for all together. */
  readonly queue: string | null;
}

const STYLE = `${tokenStyleSheet()}
  body { background: var(--page); color: var(--text); font: var(--size-body)/1.5 var(--font-text);
    margin: calc(4 * var(--space)) auto; max-width: 64rem; padding: 0 calc(2 * var(--space)); }
  h1 { font-size: var(--size-title); }
  h2 { font-size: var(--size-heading); margin-top: calc(4 * var(--space)); }
  a { color: var(--accent); text-underline-offset: 0.2em; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  table { background: var(--surface); border: 1px solid var(--line); border-collapse: collapse; width: 100%; }
  th { color: var(--quiet-text); font-size: var(--size-small); }
  th, td { border-bottom: 1px solid var(--line); padding: .4rem .8rem; text-align: left; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  .bad { color: var(--error); font-weight: 600; }
  a[aria-current] { font-weight: 600; text-decoration: none; }
  ${CURVE_STYLE}`;

/** A duration in the largest unit that leaves a number of two digits or fewer. */
function duration(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

type Cell = string | number | { readonly bad: string };

function cell(value: Cell): string {
  if (typeof value === 'number') return `<td class="number">${value}</td>`;
  if (typeof value === 'string') return `<td>${escapeHtml(value)}</td>`;
  return `<td class="bad">${escapeHtml(value.bad)}</td>`;
}

function table(id: string, head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return `<p id="${id}">None.</p>`;
  const titles = head.map((title) => `<th>${escapeHtml(title)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n');
  return `<table id="${id}"><thead><tr>${titles}</tr></thead><tbody>${body}</tbody></table>`;
}

/** A gauge of a process, from its reported metrics. */
function gauge({ families }: ProcessMetrics, name: string): number | null {
  return families?.find((family) => family.name === name)?.values[0]?.value ?? null;
}

function processRow(process: ProcessMetrics): readonly Cell[] {
  const { name, pid, families } = process;
  const started = gauge(process, 'sluice_process_start_time_seconds');
  const memory = gauge(process, 'sluice_process_resident_memory_bytes');
  return [
    name,
    pid === null ? '' : String(pid),
    families === null ? { bad: 'does not answer' } : 'live',
    started === null ? '' : duration(Math.max(0, Date.now() / 1_000 - started)),
    memory === null ? '' : `${Math.round(memory / 1_048_576)} MiB`,
  ];
}

/** The page as HTML. */
export function overviewPage({
  release,
  processes,
  queues,
  ended,
  failures,
  statistics,
  queue,
}: OverviewFacts): string {
  const parts = [
    '<h2>Processes</h2>',
    table('processes', ['Name', 'Process id', 'State', 'Up', 'Memory'], processes.map(processRow)),
    '<h2>Queues</h2>',
    table(
      'queues',
      ['Queue', 'State', 'Waiting', 'Running', 'Oldest waiting job'],
      queues.map(({ name, state, waiting, running, oldest }) => [
        name,
        state === 'running' ? state : { bad: state },
        waiting,
        running,
        waiting === 0 ? '' : duration(oldest),
      ]),
    ),
    curvesPart(statistics, queue),
    '<h2>Jobs of the last hour</h2>',
    table(
      'ended',
      ['Kind', 'State', 'Jobs', 'Average time'],
      ended.map(({ kind, state, jobs, seconds }) => [kind, state, jobs, duration(seconds)]),
    ),
    '<h2>Last failures</h2>',
    table(
      'failures',
      ['Ended', 'Kind', 'Collection', 'Job', 'Reason'],
      failures.map(({ on, kind, collection, id, reason }) => [
        on,
        kind,
        collection ?? '',
        id,
        reason,
      ]),
    ),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sluice monitor</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="10"><link rel="icon" href="data:,">
<style>${STYLE}</style></head>
<body><h1>Sluice monitor</h1>
<p>Release ${escapeHtml(release)}. <a href="/queues">Queues and jobs</a>, <a href="/metrics">metrics</a>.</p>
${parts.join('\n')}
</body></html>
`;
}
