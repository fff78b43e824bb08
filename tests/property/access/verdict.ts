/** What becomes of a write in memory: whether it is allowed, and the world that it leaves. */
import { isComplete } from '../evaluate/complete.ts';
import type { Asker, Json, Row, Table, World } from '../model.ts';
import { CONCEALED, MASK, tableOf } from '../model.ts';
import { keyOfRow, type RandomWrite } from './random-write.ts';
import { type Case, casesOf, type Person, type Society } from './society.ts';
import { askerOf, covers, holds, omniscient } from './view.ts';

type Members = Readonly<Record<string, Json>>;

/** The code of the refusal, or the world after the write. */
export type Verdict =
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'done'; readonly world: World };

function refused(code: string): Verdict {
  return { kind: 'refused', code };
}

function isSame(a: readonly Json[], b: readonly Json[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function namesOf(table: Table, randomWrite: RandomWrite, item: Members): string[] {
  const names = Object.keys(item);
  return randomWrite.action === 'create'
    ? names
    : names.filter((name) => !table.key.includes(name));
}

function isCovered(cases: readonly Case[], names: readonly string[]): boolean {
  return names.every((name) => cases.some((entry) => covers(entry, name)));
}

function membersOf(json: Json): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? Object.fromEntries(Object.entries(json))
    : {};
}

/** What permissions give where the payload says nothing; later ones weigh more. */
function withPresets(cases: readonly Case[], asker: Asker, item: Members): Members {
  const presets = cases.flatMap((entry) => Object.entries(membersOf(entry.presets)));
  const resolved = presets.map(([name, value]) => [
    name,
    value === '$CURRENT_USER' ? asker.user : value,
  ]);
  return { ...Object.fromEntries(resolved), ...item };
}

/** A mask that comes back is no value. */
function withoutMasks(table: Table, item: Members): Members {
  const masked = new Set(
    table.columns.filter(({ type }) => CONCEALED.has(type)).map(({ name }) => name),
  );
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => !masked.has(name) || value !== MASK),
  );
}

/** Nothing is written past a validation that is no complete condition, nor created by such a rule. */
function isReadable({ action }: RandomWrite, { rule, validation }: Case): boolean {
  if (validation !== null && !isComplete(validation)) return false;
  return action !== 'create' || rule === null || isComplete(rule);
}

/** A member that is there has to meet each rule; one that is not meets all. */
function isValid(cases: readonly Case[], randomWrite: RandomWrite, item: Members): boolean {
  if (!cases.every((entry) => isReadable(randomWrite, entry))) return false;
  return cases.every(({ validation }) =>
    Object.entries(membersOf(validation)).every(([name, rule]) => {
      const value = item[name];
      if (value === undefined) return true;
      const { _eq, _in } = membersOf(rule);
      if (value === null) return false;
      if (Array.isArray(_in)) return _in.includes(value);
      return _eq === undefined || _eq === value;
    }),
  );
}

/** Values are there where they have to be. */
function hasValues(table: Table, randomWrite: RandomWrite, item: Members): boolean {
  return table.columns.every(({ name, nullable }) => {
    if (nullable) return true;
    const value = item[name];
    return value === undefined ? randomWrite.action === 'update' : value !== null;
  });
}

function isReferred(world: World, table: Table, gone: readonly Row[]): boolean {
  return world.relations.some((relation) => {
    if (relation.kind !== 'm2o' || !relation.constrained || relation.target !== table.name) {
      return false;
    }
    return tableOf(world, relation.table).rows.some((row) => {
      if (relation.table === table.name && gone.includes(row)) return false;
      const key = relation.columns.map((name) => row[name] ?? null);
      const targets = gone.map((entry) =>
        relation.targetColumns.map((name) => entry[name] ?? null),
      );
      return targets.some((target) => isSame(target, key));
    });
  });
}

function replaced(world: World, name: string, rows: readonly Row[]): Verdict {
  const tables = world.tables.map((table) => (table.name === name ? { ...table, rows } : table));
  return { kind: 'done', world: { ...world, tables } };
}

function storedItem(table: Table, item: Members): Row {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => table.columns.some((column) => column.name === name)),
  );
}

/** @param cases the permissions for the action, in the order of their weight */
function judged(
  world: World,
  table: Table,
  randomWrite: RandomWrite,
  cases: readonly Case[],
  asker: Asker,
) {
  const run = omniscient(world, asker);
  const rows = randomWrite.keys.map((key) =>
    table.rows.find((row) => isSame(keyOfRow(table, row), key)),
  );
  const allowed = rows.every((row, index) => {
    if (row === undefined) return false;
    const met = cases.filter((entry) => holds(run, table, row, entry));
    const names = namesOf(table, randomWrite, randomWrite.items[index] ?? {});
    return met.length > 0 && isCovered(met, names);
  });
  const found = rows.filter((row) => row !== undefined);
  return { allowed, found };
}

export function verdictOf(
  world: World,
  society: Society,
  person: Person,
  randomWrite: RandomWrite,
): Verdict {
  const table = tableOf(world, randomWrite.table);
  const asker = askerOf(society, person);
  const cases = casesOf(society, person, { collection: table.name, action: randomWrite.action });
  if (cases.length === 0) return refused('FORBIDDEN');
  const { allowed, found } = judged(world, table, randomWrite, cases, asker);
  if (!allowed) return refused('FORBIDDEN');
  if (randomWrite.action === 'delete') {
    if (isReferred(world, table, found)) return refused('INVALID_FOREIGN_KEY');
    return replaced(
      world,
      table.name,
      table.rows.filter((row) => !found.includes(row)),
    );
  }
  if (
    randomWrite.items.some(
      (item) => randomWrite.action === 'create' && !isCovered(cases, Object.keys(item)),
    )
  ) {
    return refused('FORBIDDEN');
  }
  const full = randomWrite.items.map((item) =>
    withoutMasks(table, withPresets(cases, asker, item)),
  );
  if (
    !full.every((item) => isValid(cases, randomWrite, item) && hasValues(table, randomWrite, item))
  ) {
    return refused('FAILED_VALIDATION');
  }
  if (randomWrite.action === 'create') {
    const empty = Object.fromEntries(table.columns.map(({ name }) => [name, null]));
    const added = full.map((item): Row => ({ ...empty, ...storedItem(table, item) }));
    return replaced(world, table.name, [...table.rows, ...added]);
  }
  return replaced(
    world,
    table.name,
    table.rows.map((row) => {
      const place = found.indexOf(row);
      return place < 0 ? row : { ...row, ...storedItem(table, full[place] ?? {}) };
    }),
  );
}
