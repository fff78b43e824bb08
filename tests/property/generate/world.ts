/** Random worlds: tables, relations between them, and rows. */
import type { Column, Json, Row, Table, World } from '../model.ts';
import type { Dice } from './dice.ts';
import { type Draft, type Drafts, draft } from './draft.ts';
import { drawn } from './drawn.ts';
import { addManyToAny, addManyToMany, addReference, reverses } from './relation.ts';
import { cell, USERS } from './values.ts';

/** A value of a key column, different for each row. */
function keyValue(table: Draft, { name, type }: Column, index: number): Json {
  if (table.key.length === 2) return name === 'part' ? 1 + (index >> 1) : `c,${index % 2}`;
  if (type === 'uuid') return USERS[index] ?? `bbbbbbbb-0000-4000-8000-00000000000${index}`;
  if (type === 'string')
    return ['k1', 'K2', 'k10', '7', 'a/b', 'x,y', '', ' k'][index] ?? `k${index}`;
  if (type === 'bigInteger') return String(9007199254740990n + BigInt(index));
  return index + 1;
}

function isKey(table: Draft, name: string): boolean {
  return table.key.includes(name) || name === 'first';
}

/** Rows that do not refer to any others yet. */
function plainRows(dice: Dice, table: Draft): Row[] {
  const count = dice.chance(6) ? 0 : dice.int(2, 9);
  return dice
    .some([...Array(count).keys()], count, count)
    .map((index) =>
      Object.fromEntries(
        table.columns.map((entry) => [
          entry.name,
          isKey(table, entry.name) ? keyValue(table, entry, index) : cell(dice, entry),
        ]),
      ),
    );
}

/** A world of two to six tables. */
function generateWorld(dice: Dice): World {
  const drafts: Drafts = { dice, tables: [], pointers: [], records: [] };
  const names = dice.some(['authors', 'Posts', 'order items', 'media'], 2, 4);
  for (const name of names) drafts.tables.push(draft(dice, name));
  for (const table of [...drafts.tables]) {
    const count = dice.int(0, 2);
    for (let index = 0; index < count; index += 1) addReference(drafts, table, index);
  }
  const base = [...drafts.tables];
  if (dice.chance(90)) addManyToMany(drafts, base);
  if (dice.chance(85)) addManyToAny(drafts, base);
  const plain = new Map(drafts.tables.map((table) => [table.name, plainRows(dice, table)]));
  const tables = drafts.tables.map(({ name, columns, key, sortField, fill }): Table => {
    const rows = (plain.get(name) ?? []).map((row) =>
      Object.assign({}, row, ...fill.map((values) => values(plain))),
    );
    return { name, columns, key, sortField, rows };
  });
  const relations = [...drafts.pointers, ...reverses(drafts)];
  const indexed = dice.pick(['none', 'some', 'all'] as const);
  return { indexed, tables, relations, records: drafts.records };
}

/** The world of a seed. */
export function worldOf(seed: number): World {
  return drawn(seed, generateWorld);
}
