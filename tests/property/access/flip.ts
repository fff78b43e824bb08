/** Changes to values that a person may not see, which may change no byte of an answer. */
import type { Pool } from 'pg';
import { quote } from '#core/database/sql.ts';
import type { Dice } from '../generate/dice.ts';
import { pool as values } from '../generate/values.ts';
import { stored } from '../install.ts';
import {
  CONCEALED,
  columnOf,
  type Json,
  type Row,
  type Table,
  tableOf,
  type World,
} from '../model.ts';
import type { Person, Society } from './society.ts';
import { type View, viewOf } from './view.ts';

/** One value of one row. */
export interface Flip {
  readonly table: string;
  readonly index: number;
  readonly column: string;
  readonly value: Json;
  readonly kind: Hidden;
}

/** Why a value is hidden. */
export type Hidden = 'collection' | 'field' | 'row' | 'cell' | 'concealed';

/** Columns that identify rows or join them stay as they are. */
function isStructural(world: World, table: Table, name: string): boolean {
  const joined = world.relations.some((relation) => {
    if (relation.table !== table.name) return false;
    if (relation.kind === 'm2o') return relation.columns.includes(name);
    return relation.kind === 'a2o' && [relation.field, relation.discriminator].includes(name);
  });
  return joined || table.key.includes(name) || name === table.columns[0]?.name;
}

/** Why the value of a row is hidden from the person; null when it is seen. */
function hiddenBy(view: View, table: Table, raw: Row, name: string): Hidden | null {
  const visible = view.world.tables.find((entry) => entry.name === table.name);
  if (visible === undefined) return 'collection';
  const row = visible.rows.find((entry) => view.sight.raw(entry) === raw);
  if (row === undefined) return 'row';
  if (columnOf(visible, name) === undefined) return 'field';
  if (!view.sight.sees(table.name, row, name)) return 'cell';
  return CONCEALED.has(columnOf(table, name)?.type ?? '') ? 'concealed' : null;
}

/** Another row's key for a reference, another value for anything else. */
function otherValue(dice: Dice, world: World, table: Table, name: string, now: Json): Json {
  const relation = world.relations.find(
    (entry) => entry.table === table.name && entry.kind === 'm2o' && entry.columns[0] === name,
  );
  if (relation?.kind === 'm2o') {
    const rows = tableOf(world, relation.target).rows;
    const key = relation.targetColumns[0] ?? '';
    return rows.length === 0 ? null : (dice.pick(rows)[key] ?? null);
  }
  const column = columnOf(table, name);
  if (column === undefined || now === null) return now;
  return dice.pick(values(column));
}

function candidates(dice: Dice, world: World, view: View): Flip[] {
  return world.tables.flatMap((table) =>
    table.rows.flatMap((row, index) =>
      table.columns.flatMap(({ name, type, nullable }): Flip[] => {
        const kind = hiddenBy(view, table, row, name);
        if (kind === null) return [];
        const single = world.relations.some(
          (entry) =>
            entry.table === table.name &&
            entry.kind === 'm2o' &&
            entry.columns.length === 1 &&
            entry.columns[0] === name,
        );
        const whole = kind === 'row' || kind === 'collection';
        const movable = single && whole && nullable && !table.key.includes(name);
        if (isStructural(world, table, name) && !movable) return [];
        const now = row[name] ?? null;
        const value = otherValue(dice, world, table, name, now);
        const changes = CONCEALED.has(type) ? now !== null : value !== now;
        return changes ? [{ table: table.name, index, column: name, value, kind }] : [];
      }),
    ),
  );
}

function flipped(world: World, flips: readonly Flip[]): World {
  const tables = world.tables.map((table) => {
    const own = flips.filter((flip) => flip.table === table.name);
    if (own.length === 0) return table;
    const rows = table.rows.map((row, index): Row => {
      const changes = own.filter((flip) => flip.index === index);
      return { ...row, ...Object.fromEntries(changes.map((flip) => [flip.column, flip.value])) };
    });
    return { ...table, rows };
  });
  return { ...world, tables };
}

/** Which rows are seen and what of them, by keys that may not be seen themselves. */
function appearance(world: World, { world: shown, sight }: View): string {
  return JSON.stringify(
    shown.tables.map(({ name, columns, rows }) => {
      const { key, columns: all } = tableOf(world, name);
      const identity = key.length > 0 ? key : [all[0]?.name ?? ''];
      const relations = shown.relations.filter(({ table }) => table === name);
      const lines = rows.map((row) => [
        identity.map((column) => sight.raw(row)[column] ?? null),
        row,
        relations.map(({ field }) => sight.sees(name, row, field)),
      ]);
      return [name, columns.map((column) => column.name), lines];
    }),
  );
}

/** Changes that leave what the person sees as it is: rules may look at what nobody else may. */
export function flipsFor(
  dice: Dice,
  world: World,
  society: Society,
  person: Person,
): readonly Flip[] {
  const view = viewOf(world, society, person);
  const before = appearance(world, view);
  let accepted: readonly Flip[] = [];
  const attempt = (flips: readonly Flip[]): void => {
    if (flips.length === 0) return;
    const all = [...accepted, ...flips];
    if (appearance(world, viewOf(flipped(world, all), society, person)) === before) accepted = all;
    else if (flips.length > 1) {
      const half = flips.length >> 1;
      attempt(flips.slice(0, half));
      attempt(flips.slice(half));
    }
  };
  attempt(candidates(dice, world, view));
  return accepted;
}

/** Carries the changes out; secrets become others, too. */
export async function carryOut(
  pool: Pool,
  schema: string,
  world: World,
  flips: readonly Flip[],
): Promise<void> {
  const after = flipped(world, flips);
  for (const table of after.tables) {
    const own = flips.filter((flip) => flip.table === table.name);
    if (own.length === 0) continue;
    const changed = [...new Set(own.map(({ column }) => column))];
    const key = table.key.length > 0 ? table.key : [table.columns[0]?.name ?? ''];
    const rows = table.rows.flatMap((row, index) => {
      const mine = new Set(own.filter((flip) => flip.index === index).map(({ column }) => column));
      if (mine.size === 0) return [];
      const cells = table.columns.map((column) => {
        const nonce = mine.has(column.name) ? 500 + index : index;
        return [column.name, stored(column, row[column.name] ?? null, nonce)];
      });
      return [Object.fromEntries(cells)];
    });
    const name = `${schema}.${quote(table.name)}`;
    const set = changed.map((column) => `${quote(column)} = r.${quote(column)}`).join(', ');
    const where = key.map((column) => `t.${quote(column)} = r.${quote(column)}`).join(' AND ');
    await pool.query(
      `UPDATE ${name} AS t SET ${set}
       FROM json_populate_recordset(NULL::${name}, $1::json) AS r WHERE ${where}`,
      [JSON.stringify(rows)],
    );
  }
}
