/** The curves of the queues as SVG, rendered on the server without scripts. */
import { escapeHtml } from '#core/base/text/escape-html.ts';
import { PERIODS, type QueueInterval, type QueueStatistics } from '#core/jobs/queue-statistics.ts';

const WIDTH = 300;
const HEIGHT = 80;

/** A value for each interval of the period; null where nothing was recorded. */
type Values = readonly (number | null)[];

export interface Line {
  readonly name: string;
  readonly values: Values;
}

interface Curve {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

/** The intervals of the period up to now. */
function intervalsOf({ period, interval, now, series }: QueueStatistics) {
  const length = interval * 1_000;
  const recorded = new Map(series.map((one) => [Date.parse(one.from), one]));
  const current = Math.floor(Date.parse(now.on) / length) * length;
  const last = Math.max(...recorded.keys(), current - length);
  const count = Math.round(PERIODS[period].kept / interval);
  return Array.from(
    { length: count },
    (_, place) => recorded.get(last - (count - 1 - place) * length) ?? null,
  );
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** @param queue the name of a queue; null for all together */
function curvesOf(statistics: QueueStatistics, queue: string | null): readonly Curve[] {
  const intervals = intervalsOf(statistics);
  const along = (value: (queues: readonly QueueInterval[]) => number | null) =>
    intervals.map((found) =>
      found === null
        ? null
        : value(found.queues.filter(({ name }) => queue === null || name === queue)),
    );
  const added = (
    name: string,
    member: 'completed' | 'failed' | 'cancelled' | 'waiting' | 'rows_per_second',
  ) => ({ name, values: along((queues) => queues.reduce((sum, one) => sum + one[member], 0)) });
  const most = (name: string, member: 'p50' | 'p99') => ({
    name,
    values: along((queues) => highest(queues.map((one) => one[member]))),
  });
  const reasons = new Set(
    intervals.flatMap((found) =>
      (found?.queues ?? [])
        .filter(({ name }) => queue === null || name === queue)
        .flatMap((one) => Object.keys(one.reasons)),
    ),
  );
  const processes = (name: string, kind: 'edge' | 'worker') => ({
    name,
    values: intervals.map((found) => found?.processes[kind] ?? null),
  });
  return [
    {
      title: 'Ended jobs',
      unit: '',
      lines: [
        added('completed', 'completed'),
        added('failed', 'failed'),
        added('cancelled', 'cancelled'),
      ],
    },
    { title: 'Waiting jobs', unit: '', lines: [added('waiting', 'waiting')] },
    {
      title: 'Oldest waiting job',
      unit: 's',
      lines: [
        {
          name: 'oldest',
          values: along((queues) => highest(queues.map(({ oldest }) => oldest)) ?? 0),
        },
      ],
    },
    {
      title: queue === null ? 'Duration in the slowest queue' : 'Duration',
      unit: 's',
      lines: [most('p50', 'p50'), most('p99', 'p99')],
    },
    { title: 'Rows per second', unit: '', lines: [added('rows', 'rows_per_second')] },
    {
      title: 'Failures by reason',
      unit: '',
      lines: [...reasons].map((reason) => ({
        name: reason,
        values: along((queues) => queues.reduce((sum, one) => sum + (one.reasons[reason] ?? 0), 0)),
      })),
    },
    {
      title: 'Processes',
      unit: '',
      lines: [processes('edges', 'edge'), processes('workers', 'worker')],
    },
  ];
}

/** The points of a line as paths; it breaks where a value is missing. */
export function pathOf(values: Values, top: number): string {
  const step = values.length < 2 ? 0 : WIDTH / (values.length - 1);
  let isPen = false;
  const parts = values.map((value, place) => {
    if (value === null) {
      isPen = false;
      return '';
    }
    const x = Math.round(place * step * 10) / 10;
    const y = Math.round((HEIGHT - (value / top) * HEIGHT) * 10) / 10;
    // A point without neighbours is a dot, thanks to round ends.
    const part = isPen ? `L${x} ${y}` : `M${x} ${y}h0`;
    isPen = true;
    return part;
  });
  return parts.join('');
}

function written(value: number, unit: string): string {
  const digits = value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
  return `${digits}${unit === '' ? '' : ` ${unit}`}`;
}

function figure({ title, unit, lines }: Curve): string {
  const top = highest(lines.flatMap(({ values }) => [...values]));
  if (top === null) {
    return `<figure><figcaption>${escapeHtml(title)}</figcaption><p>No values yet.</p></figure>`;
  }
  const facts = lines.map(({ name, values }) => {
    // A value of an earlier interval is not the present.
    const latest = values.at(-1) ?? null;
    return `${name} ${latest === null ? '–' : written(latest, unit)}`;
  });
  const label = `${title}: ${facts.join(', ')}; at most ${written(top, unit)}`;
  const paths = lines.map(
    ({ values }, place) =>
      `<path class="line-${place % 4}" d="${pathOf(values, Math.max(top, Number.MIN_VALUE))}"/>`,
  );
  const legend = facts.map(
    (fact, place) => `<span class="line-${place % 4}">${escapeHtml(fact)}</span>`,
  );
  return `<figure><figcaption>${escapeHtml(title)} <small>at most ${written(top, unit)}</small></figcaption>
<svg viewBox="-2 -2 ${WIDTH + 4} ${HEIGHT + 4}" role="img" aria-label="${escapeHtml(label)}">${paths.join('')}</svg>
<p class="legend">${legend.join(' ')}</p></figure>`;
}

/** The style of the curves; colours that people with colour blindness tell apart. */
export const CURVE_STYLE = `
  .curves { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
  figure { margin: 0; } figcaption { font-weight: 600; } small { font-weight: 400; opacity: .75; }
  svg { display: block; width: 100%; border-bottom: 1px solid #8888; }
  path { fill: none; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
  .legend { margin: 0; font-size: .85em; } .legend span { border-left: .8em solid; padding-left: .3em; margin-right: .6em; }
  .line-0 { stroke: light-dark(#00856a, #2fc39b); border-color: light-dark(#00856a, #2fc39b); }
  .line-1 { stroke: light-dark(#c75000, #f0a030); border-color: light-dark(#c75000, #f0a030); }
  .line-2 { stroke: light-dark(#0072b2, #56b4e9); border-color: light-dark(#0072b2, #56b4e9); }
  .line-3 { stroke: light-dark(#b04a87, #e39ac4); border-color: light-dark(#b04a87, #e39ac4); }`;

/** The part of the page with the curves, and the links to other queues and periods. */
export function curvesPart(statistics: QueueStatistics, queue: string | null): string {
  const { period, now } = statistics;
  const link = (text: string, to: { readonly queue: string | null; readonly period: string }) => {
    const query = new URLSearchParams({ period: to.period });
    if (to.queue !== null) query.set('queue', to.queue);
    const isCurrent = to.queue === queue && to.period === period;
    const current = isCurrent ? ' aria-current="page"' : '';
    return `<a href="/?${escapeHtml(query.toString())}#curves"${current}>${escapeHtml(text)}</a>`;
  };
  const periods = Object.keys(PERIODS).map((one) => link(one, { queue, period: one }));
  const queues = [
    link('all queues', { queue: null, period }),
    ...now.queues.map(({ name }) => link(name, { queue: name, period })),
  ];
  const title = `Curves of ${queue ?? 'all queues'}, last ${period}`;
  return `<h2 id="curves">${escapeHtml(title)}</h2>
<p>${periods.join(', ')}; ${queues.join(', ')}</p>
<div class="curves">${curvesOf(statistics, queue).map(figure).join('\n')}</div>`;
}
