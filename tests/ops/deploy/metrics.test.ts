// @newest @quick
/** The dashboard and the alerts use metrics and labels that exist, and every metric is shown. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import * as v from 'valibot';
import { parse } from 'yaml';
import { METRICS, type MetricFacts } from '#core/base/metrics/catalogue.ts';

const FOLDER = join(import.meta.dirname, '../../../ops/deploy');
const FACTS = new Map<string, MetricFacts>(Object.entries(METRICS));
/** Labels that Prometheus adds, and that of buckets. */
const GIVEN = new Set(['instance', 'job', 'le']);

const dashboard = v.object({
  panels: v.array(
    v.object({
      id: v.number(),
      title: v.string(),
      gridPos: v.object({ x: v.number(), y: v.number(), w: v.number(), h: v.number() }),
      targets: v.pipe(
        v.array(v.object({ refId: v.string(), expr: v.string(), legendFormat: v.string() })),
        v.minLength(1),
      ),
    }),
  ),
});
const alerts = v.object({
  groups: v.tuple([
    v.object({
      name: v.string(),
      rules: v.array(
        v.object({
          alert: v.pipe(v.string(), v.regex(/^Sluice\w+$/)),
          expr: v.string(),
          for: v.pipe(v.string(), v.regex(/^\d+[mh]$/)),
          labels: v.object({ severity: v.picklist(['warning', 'critical']) }),
          annotations: v.object({ summary: v.string(), description: v.string() }),
        }),
      ),
    }),
  ]),
});

const shown = v.parse(
  dashboard,
  JSON.parse(readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8')),
);
const { rules } = v.parse(
  alerts,
  parse(readFileSync(join(FOLDER, 'prometheus-alerts.yml'), 'utf8')),
).groups[0];

interface Use {
  readonly name: string;
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics of an expression, with the labels that its selectors name. */
function usesOf(expression: string): Use[] {
  return [...expression.matchAll(/\b(sluice_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', inside = '']) => {
      const base = name.replace(/_(bucket|sum|count)$/, '');
      const metric = FACTS.get(base)?.type === 'histogram' ? base : name;
      return {
        name,
        metric,
        labels: [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
      };
    },
  );
}

/** The labels that an expression groups by. */
function grouped(expression: string): string[] {
  return [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/,\s*/),
  );
}

function labelsOf(metric: string): ReadonlySet<string> {
  const facts = FACTS.get(metric);
  const own = facts?.ofProcess === true ? ['process'] : [];
  return new Set([...(facts?.labels ?? []), ...own, ...GIVEN]);
}

const expressions = [
  ...shown.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ where: title, expr })),
  ),
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
];

t.test('expressions name metrics and labels that exist', async (t) => {
  for (const { where, expr } of expressions) {
    const uses = usesOf(expr);
    t.ok(uses.length > 0 || expr.startsWith('up{'), `${where} uses metrics`);
    for (const { name, metric, labels } of uses) {
      const facts = FACTS.get(metric);
      t.ok(facts !== undefined, `${where}: ${name} exists`);
      const known = labelsOf(metric);
      for (const label of labels) t.ok(known.has(label), `${where}: ${name} has ${label}`);
      const isCounter = facts?.type !== 'gauge';
      const changing = /\b(rate|increase|changes)\(/.test(expr);
      t.ok(!isCounter || changing, `${where}: ${name} only grows, so its rate is meant`);
      t.ok(
        facts?.type !== 'histogram' || name !== metric,
        `${where}: a part of ${metric} is meant`,
      );
    }
    const all = new Set(uses.flatMap(({ metric }) => [...labelsOf(metric)]));
    for (const label of grouped(expr)) t.ok(all.has(label), `${where}: grouped by ${label}`);
    const depth = expr.replace(/[^()]/g, '');
    t.equal(depth.replaceAll('(', '').length * 2, depth.length, `${where}: parentheses are closed`);
  }
});

t.test('every metric is on the dashboard', async (t) => {
  const used = new Set(
    shown.panels
      .flatMap(({ targets }) => targets.flatMap(({ expr }) => usesOf(expr)))
      .map(({ metric }) => metric),
  );
  const left = [...FACTS.keys()].filter((name) => !used.has(name));
  t.strictSame(left, ['sluice_queue_state', 'sluice_process_start_time_seconds']);
});

t.test('panels have places and ids of their own', async (t) => {
  const ids = shown.panels.map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length);
  const places = shown.panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
  t.equal(new Set(places).size, places.length);
});

t.test('labels in the texts of alerts are those of their expressions', async (t) => {
  for (const { alert, expr, annotations } of rules) {
    const text = `${annotations.summary} ${annotations.description}`;
    for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) {
      t.ok(grouped(expr).includes(label) || label === 'instance', `${alert}: ${label}`);
    }
  }
});
