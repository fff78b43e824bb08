/** Random writes to the tables of a world. */
import type { Dice } from '../generate/dice.ts';
import { pool as values } from '../generate/values.ts';
import { CONCEALED, type Column, type Json, type Row, type Table, type World } from '../model.ts';

type Members = Readonly<Record<string, Json>>;

export interface RandomWrite {
  readonly action: 'create' | 'update' | 'delete';
  readonly table: string;
  /** The rows that are meant, in step with the items of an update; empty for a creation. */
  readonly keys: readonly (readonly Json[])[];
  readonly items: readonly Members[];
}

/** The columns that payloads give values to: not what joins rows, nor what cannot be read back. */
export function writable(table: Table): readonly Column[] {
  const joins = /^(ref|self|owner_id|left_id|right_id|item$|collection$|fk_)/;
  return table.columns.filter(
    ({ name, type }) => !table.key.includes(name) && !joins.test(name) && !CONCEALED.has(type),
  );
}

function payload(dice: Dice, table: Table): Members {
  const columns = dice.some(writable(table), 0, 3);
  const members = columns.map((column): [string, Json] => [
    column.name,
    dice.chance(12) ? null : dice.pick(values(column)),
  ]);
  if (dice.chance(3)) members.push(['no such field', 1]);
  return Object.fromEntries(members);
}

/** A key that no row has yet. */
function newKey(table: Table, number: number): Members {
  return Object.fromEntries(
    table.key.map((name): [string, Json] => {
      const type = table.columns.find((column) => column.name === name)?.type;
      if (type === 'uuid')
        return [name, `eeeeeeee-0000-4000-8000-${String(number).padStart(12, '0')}`];
      if (type === 'bigInteger') return [name, String(1_000_000 + number)];
      return [name, type === 'integer' ? 100_000 + number : `new ${number}`];
    }),
  );
}

/** Gives columns that must have a value one, mostly. */
function required(dice: Dice, table: Table): Members {
  return Object.fromEntries(
    table.columns
      .filter(({ name, nullable }) => !nullable && !table.key.includes(name))
      .filter(() => dice.chance(85))
      .map((column) => [column.name, dice.pick(values(column))]),
  );
}

export function keyOfRow(table: Table, row: Row): readonly Json[] {
  return table.key.map((name) => row[name] ?? null);
}

/** @param number of this write among all, so that new keys are new */
export function randomWriteOf(dice: Dice, world: World, number: number): RandomWrite | null {
  const keyed = world.tables.filter(({ key }) => key.length > 0);
  if (keyed.length === 0) return null;
  const table = dice.pick(keyed);
  const action = dice.pick(['create', 'create', 'update', 'update', 'update', 'delete'] as const);
  const count = dice.pick([1, 1, 2, 3]);
  if (action === 'create') {
    const items = Array.from({ length: count }, (_, index) => ({
      ...(dice.chance(96) ? newKey(table, number * 10 + index) : {}),
      ...required(dice, table),
      ...payload(dice, table),
    }));
    return { action, table: table.name, keys: [], items };
  }
  const rows = dice.some(table.rows, count, count);
  if (rows.length === 0) return null;
  const keys = rows.map((row) => keyOfRow(table, row));
  if (dice.chance(4)) keys.push(Object.values(newKey(table, number * 10 + 9)));
  if (action === 'delete') return { action, table: table.name, keys, items: [] };
  const same = payload(dice, table);
  const shared = dice.chance(50);
  const items = keys.map(() => (shared ? same : payload(dice, table)));
  return { action, table: table.name, keys, items };
}
