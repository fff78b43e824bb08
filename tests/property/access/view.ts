/** The world as one person sees it: what may not be seen is not in it. */
import { isComplete } from '../evaluate/complete.ts';
import { matches } from '../evaluate/filter.ts';
import { PLAIN_SIGHT, type Run, type Sight } from '../evaluate/run.ts';
import { type Asker, columnOf, type Row, type Table, type World } from '../model.ts';
import { type Case, casesOf, type Person, policiesOf, rolesOf, type Society } from './society.ts';

export interface View {
  readonly world: World;
  readonly sight: Sight;
  readonly asker: Asker;
  /** Every order is decided by what may be seen. */
  readonly ordered: boolean;
}

export function askerOf(society: Society, person: Person): Asker {
  return {
    user: person.user,
    role: person.role,
    roles: rolesOf(society, person),
    policies: policiesOf(society, person),
  };
}

/** Evaluates rules, which see everything. */
export function omniscient(world: World, asker: Asker): Run {
  return {
    world,
    asker,
    limitDefault: 100,
    backlink: true,
    now: new Date(),
    cover: () => {},
    sight: PLAIN_SIGHT,
  };
}

/** A rule that is no complete condition holds for nothing. */
export function holds(run: Run, table: Table, row: Row | null, { rule }: Case): boolean {
  if (rule !== null && !isComplete(rule)) return false;
  return rule === null || matches({ run, table, row, via: 'own', junctionField: null }, rule);
}

export function covers({ fields }: Case, field: string): boolean {
  return fields === null || fields.has(field);
}

/** The field is seen on every row that is seen, whatever the rows hold. */
function isAlwaysSeen(cases: readonly Case[], field: string): boolean {
  const covering = cases.filter((entry) => covers(entry, field));
  return (
    covering.length === cases.length || covering.some(({ rule }) => rule === null || isEmpty(rule))
  );
}

function isEmpty(rule: unknown): boolean {
  return typeof rule === 'object' && rule !== null && Object.keys(rule).length === 0;
}

export function viewOf(world: World, society: Society, person: Person): View {
  const asker = askerOf(society, person);
  const run = omniscient(world, asker);
  const cases = new Map(
    world.tables.map(({ name }) => [
      name,
      casesOf(society, person, { collection: name, action: 'read' }),
    ]),
  );
  const given = (name: string) => cases.get(name) ?? [];
  const origins = new WeakMap<Row, { raw: Row; met: readonly Case[] }>();
  const tables = world.tables.flatMap((table): Table[] => {
    const own = given(table.name);
    if (own.length === 0) return [];
    const columns = table.columns.filter(({ name }) => own.some((entry) => covers(entry, name)));
    const rows = table.rows.flatMap((raw) => {
      const met = own.filter((entry) => holds(run, table, raw, entry));
      if (met.length === 0) return [];
      const shown = columns.map(({ name }) => [
        name,
        met.some((entry) => covers(entry, name)) ? (raw[name] ?? null) : null,
      ]);
      const row: Row = Object.fromEntries(shown);
      origins.set(row, { raw, met });
      return [row];
    });
    return [{ ...table, columns, rows }];
  });
  const sight: Sight = {
    raw: (row) => origins.get(row)?.raw ?? row,
    sees: (name, row, field) => {
      const table = world.tables.find((entry) => entry.name === name);
      if (table === undefined) return false;
      // Where no row is, what every permission covers counts as seen.
      if (row === null && isAlwaysSeen(given(name), field)) return true;
      const met =
        (row === null ? undefined : origins.get(row)?.met) ??
        given(name).filter((entry) => holds(run, table, null, entry));
      return met.some((entry) => covers(entry, field));
    },
  };
  const relations = world.relations.filter(({ table, field }) =>
    given(table).some((entry) => covers(entry, field)),
  );
  const ordered = tables.every((table) => {
    const first = world.tables.find(({ name }) => name === table.name)?.columns[0]?.name ?? '';
    const deciding = table.key.length > 0 ? table.key : [first];
    return deciding.every(
      (name) => columnOf(table, name) !== undefined && isAlwaysSeen(given(table.name), name),
    );
  });
  return { world: { ...world, tables, relations }, sight, asker, ordered };
}
