/**
 * Answers a query in memory, in the most naive way there is: every row is looked at, nothing is
 * planned. Written from the description of the query language alone.
 */
import { type Asker, type Json, type Parameters, tableOf, type World } from '../model.ts';
import { type Answer, aggregated } from './aggregate.ts';
import { levelOf } from './level.ts';
import type { Run } from './run.ts';
import { chosen, type Frame, isAggregate, page, pathOf, showItem } from './select.ts';

export interface Question {
  readonly table: string;
  readonly parameters: Parameters;
  readonly asker: Asker;
  readonly limitDefault: number;
}

export interface Envelope {
  readonly data: readonly Answer[];
  readonly meta?: Readonly<Record<string, number>>;
}

function meta(frame: Frame, names: Json): Readonly<Record<string, number>> {
  const { run, table } = frame;
  const wanted = Array.isArray(names) ? names.map(String) : [];
  const all = wanted.includes('*') ? ['total_count', 'filter_count'] : wanted;
  return Object.fromEntries(
    all.map((name) => {
      run.cover(`meta ${name}`);
      return [name, name === 'total_count' ? table.rows.length : chosen(frame, table.rows).length];
    }),
  );
}

/** The answer to a question over a world; `cover` hears of every case that was met. */
export function evaluate(
  world: World,
  question: Question,
  cover: (cell: string) => void,
): Envelope {
  const { parameters, asker, limitDefault } = question;
  const backlink = parameters.backlink !== false;
  const run: Run = { world, asker, limitDefault, backlink, now: new Date(), cover };
  const table = tableOf(world, question.table);
  const level = levelOf(run, parameters, '');
  const paths = level.fields.length === 0 ? [['*']] : level.fields.map(pathOf);
  const frame: Frame = { run, table, level, paths, via: null };
  const data = isAggregate(level)
    ? aggregated(run, table.name, chosen(frame, table.rows), level)
    : page(frame, table.rows, null).map((row) => showItem(frame, row));
  const names = parameters.meta ?? null;
  return names === null ? { data } : { data, meta: meta(frame, names) };
}
