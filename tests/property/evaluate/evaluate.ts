/**
 * Answers a query in memory, in the most naive way there is: every row is looked at, nothing is
 * planned. Written from the description of the query language alone.
 */
import {
  type Asker,
  type Json,
  type Parameters,
  type Row,
  type Table,
  tableOf,
  type World,
} from '../model.ts';
import { type Answer, aggregated } from './aggregate.ts';
import { requireComplete } from './complete.ts';
import { levelOf } from './level.ts';
import { Refusal } from './refusal.ts';
import { PLAIN_SIGHT, type Run, type Sight } from './run.ts';
import { chosen, type Frame, isAggregate, page, pathOf, showItem } from './select.ts';

export interface Question {
  readonly table: string;
  readonly parameters: Parameters;
  readonly asker: Asker;
  readonly limitDefault: number;
  /** Only the items of these keys; null: all. */
  readonly keys: readonly (readonly Json[])[] | null;
  /** Exactly one item is asked for, by its key. */
  readonly shape: string;
}

export interface Envelope {
  readonly data: readonly Answer[] | Answer;
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

/** The items that a question is about. */
function candidates({ sight }: Run, table: Table, keys: Question['keys']): readonly Row[] {
  if (keys === null) return table.rows;
  const wanted = new Set(keys.map((key) => JSON.stringify(key)));
  return table.rows.filter((row) =>
    wanted.has(JSON.stringify(table.key.map((name) => sight.raw(row)[name] ?? null))),
  );
}

/** The answer to a question over a world; `cover` hears of every case that was met. */
export function evaluate(
  world: World,
  question: Question,
  cover: (cell: string) => void,
  sight: Sight = PLAIN_SIGHT,
): Envelope {
  const { parameters, asker, limitDefault } = question;
  const backlink = parameters.backlink !== false;
  const run: Run = { world, asker, limitDefault, backlink, now: new Date(), cover, sight };
  requireComplete(parameters, '');
  const table = tableOf(world, question.table);
  const level = levelOf(run, parameters, '');
  const paths = level.fields.length === 0 ? [['*']] : level.fields.map(pathOf);
  const frame: Frame = { run, table, level, paths, via: null };
  const rows = candidates(run, table, question.keys);
  run.cover(`asked as ${question.shape}`);
  if (question.shape === 'item') {
    const [row] = chosen(frame, rows);
    if (row === undefined) throw new Refusal('there is no such item');
    return { data: showItem(frame, row) };
  }
  const data = isAggregate(level)
    ? aggregated(run, table.name, chosen(frame, rows), level)
    : page(frame, rows, null).map((row) => showItem(frame, row));
  const names = parameters.meta ?? null;
  return names === null ? { data } : { data, meta: meta(frame, names) };
}
