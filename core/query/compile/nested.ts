/**
 * Compiles the values of a level's answer: plain ones, and related items of any depth as sub-selects
 * of the same statement.
 */
import type { AnyToOne, End, ManyToOne, Relation, ToMany } from '#core/catalog/relation.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import type { Level, Path } from '../query.ts';
import { anyEnds, refersTo } from './any-to-one.ts';
import { countsByOwner, relatedCount } from './count.ts';
import type { Page } from './page.ts';
import {
  childEnds,
  childrenMatch,
  columnNamed,
  endsMatch,
  enterLevel,
  guardOf,
  isBatch,
  isVisible,
  type LevelPlan,
  noteScan,
  type Scope,
  visibleField,
} from './scope.ts';

/** A relation to be nested: the paths asked of its items, for each collection they may be in. */
export interface Nested {
  readonly relation: Relation;
  /** The field that was followed. */
  readonly field: string;
  /** By collection; the empty name stands for all of them. */
  readonly paths: Map<string, Path[]>;
}

/** A list of which only the keys or the number of its items is asked. */
export interface Digest {
  readonly digest: 'keys' | 'count';
  readonly list: ToMany;
}

/** Begins the aliases that no request has. */
const OWN_ALIAS = '\u0001key';

/** What stands under one key of the answer. */
export type Entry = Sql | Nested | Digest;

export function isNested(entry: Entry | undefined): entry is Nested {
  return entry !== undefined && 'relation' in entry;
}

/** The level that `deep` asks of a relation, with the fields that were selected of it. */
function levelBelow(scope: Scope, level: Level, key: string, fields: readonly Path[]): Level {
  const deep = level.deep.get(key);
  const all = [...fields, ...(deep?.fields ?? [])];
  const { limitDefault } = scope.context.bounds;
  if (deep !== undefined) return { ...deep, fields: all };
  return {
    fields: all,
    filter: null,
    search: null,
    sort: [],
    limit: limitDefault,
    offset: 0,
    alias: new Map(),
    aggregate: [],
    groupBy: [],
    deep: new Map(),
  };
}

/** Rows of a plan as one JSON list. */
function listJson(plan: LevelPlan): Sql {
  return sql`(SELECT coalesce(json_agg(${plan.json}), '[]') FROM (${plan.rows}) AS r)`;
}

/** The single row of a plan as a JSON object, null without a row. */
function objectJson(plan: LevelPlan): Sql {
  return sql`(SELECT ${plan.json} FROM (${plan.rows}) AS r)`;
}

/** A value of the answer, and the paths of the plain values inside it for tables such as CSV. */
interface Part {
  readonly sql: Sql;
  readonly columns: readonly Path[];
}

/** Where a level is being compiled: row by row, or beside the page of all its rows. */
export interface Place {
  readonly scope: Scope;
  readonly level: Level;
  readonly page: Page | null;
}

/** A value of the row as the place can refer to it. */
function placed({ page }: Place, value: Sql): Sql {
  return page === null ? value : page.keep(value);
}

/** A value beside the page where the caller may see the field on the row, else null. */
function placedGuard(place: Place, field: string, value: Sql): Sql {
  const guard = guardOf(place.scope, field);
  return guard === null ? value : sql`CASE WHEN ${placed(place, guard)} THEN ${value} END`;
}

/** The page of a place whose items are read at once; null where each row reads its own. */
function pageOf({ scope, page }: Place, key: string): Page | null {
  return isBatch(scope, key) ? page : null;
}

function isWhole(json: Sql): Sql {
  return json;
}

/** Level of a single item: what orders and bounds a list says nothing of it. */
function singly(level: Level): Level {
  return { ...level, sort: [], limit: null, offset: 0 };
}

function oneJson(place: Place, relation: ManyToOne, key: string, level: Level): Part {
  const { scope } = place;
  const target = enterLevel(scope, relation, relation.one.collection, key);
  const single = { ...singly(level), aggregate: [], groupBy: [] };
  const page = pageOf(place, key);
  if (page !== null) {
    const columns: Path[] = [];
    const keys = relation.many.columns.map((column) => columnNamed(scope, column));
    const owner = relation.one.columns.map((column) => columnNamed(target, column));
    const value = page.read(keys, (select) => {
      const batch = { owner, keys: select, single: true, member: isWhole };
      const plan = target.context.planBatch(target, single, batch);
      columns.push(...plan.columns);
      return plan.sql;
    });
    return { sql: value, columns: columns.map((path) => [key, ...path]) };
  }
  const match = endsMatch(
    { scope: target, columns: relation.one.columns },
    { scope, columns: relation.many.columns },
  );
  const plan = target.context.planLevel(target, single, [match], { ordered: false });
  return {
    sql: placed(place, objectJson(plan)),
    columns: plan.columns.map((path) => [key, ...path]),
  };
}

/** What is asked of a list: of its items, and what becomes of the object of each. */
interface Asked {
  readonly level: Level;
  readonly member: (json: Sql) => Sql;
}

/** A list of related items; no list where nothing can be asked. */
function manyJson(
  place: Place,
  relation: ToMany,
  key: string,
  ask: (child: Scope) => Asked | null,
): Sql {
  const { scope } = place;
  const child = enterLevel(scope, relation, relation.many.collection, key);
  const asked = ask(child);
  if (asked === null) return sql`'[]'::json`;
  const { level, member } = asked;
  if (!relation.indexed) child.context.markScan();
  const page = pageOf(place, key);
  if (page === null) {
    const plan = child.context.planLevel(child, level, [childrenMatch(scope, child, relation)]);
    return placed(place, listJson({ ...plan, json: member(plan.json) }));
  }
  let nothing: Sql | null = null;
  const { keys, owner } = childEnds(scope, child, relation);
  const value = page.read(keys, (select) => {
    const batch = { owner, keys: select, single: false, member };
    const plan = child.context.planBatch(child, level, batch);
    nothing = plan.nothing ?? null;
    return plan.sql;
  });
  return sql`coalesce(${value}, ${nothing ?? sql`'[]'::json`})`;
}

/** How many items a list that no index serves has. */
function countJson(place: Place, relation: ToMany, key: string): Sql {
  const { scope } = place;
  noteScan(scope, key);
  const page = pageOf(place, key);
  const count = (value: Sql) => sql`coalesce(${value}, 0)::text`;
  if (page === null) return placed(place, count(relatedCount(scope, relation)));
  const child = enterLevel(scope, relation, relation.many.collection, key);
  const { keys, owner } = childEnds(scope, child, relation);
  const counted = page.read(keys, (select) => countsByOwner(child, owner, select));
  return placedGuard(place, relation.field, count(counted));
}

/** An object of whichever collection the row refers to; the bare key where nothing was asked of it. */
function anyJson(place: Place, relation: AnyToOne, nested: Nested): Sql {
  const { scope, level } = place;
  const stored = columnNamed(scope, relation.many.columns[0] ?? '');
  const branches = relation.allowed.map((end) => {
    const when = placed(place, refersTo(scope, relation, end.collection));
    if (!isVisible(scope, end.collection)) return sql` WHEN ${when} THEN NULL::json`;
    const paths = [...(nested.paths.get('') ?? []), ...(nested.paths.get(end.collection) ?? [])];
    const name = `${nested.field}:${end.collection}`;
    const below = levelBelow(scope, level, name, paths);
    if (below.fields.length === 0) {
      return sql` WHEN ${when} THEN ${placed(place, sql`to_json(${stored})`)}`;
    }
    return sql` WHEN ${when} THEN ${anyObject(place, relation, end, { name, below })}`;
  });
  return branches.length === 0
    ? placed(place, sql`to_json(${stored})`)
    : sql`CASE${join(branches, '')} END`;
}

/** The item of one of the collections that a many-to-any may refer to. */
function anyObject(
  place: Place,
  relation: AnyToOne,
  end: End,
  { name, below }: { readonly name: string; readonly below: Level },
): Sql {
  const { scope } = place;
  const target = enterLevel(scope, relation, end.collection, name);
  const { column, key, indexed } = anyEnds(scope, target, relation, end);
  if (!indexed) target.context.markScan();
  const page = pageOf(place, name);
  if (page === null) {
    const plan = target.context.planLevel(target, singly(below), [sql`${column} = ${key}`], {
      ordered: false,
    });
    return placed(place, objectJson(plan));
  }
  return page.read([key], (select) => {
    const batch = { owner: [column], keys: select, single: true, member: isWhole };
    return target.context.planBatch(target, singly(below), batch).sql;
  });
}

function nestedJson(place: Place, key: string, nested: Nested): Part {
  const { scope, level } = place;
  const { relation } = nested;
  if (relation.kind === 'a2o') return { sql: anyJson(place, relation, nested), columns: [[key]] };
  const below = levelBelow(scope, level, key, nested.paths.get('') ?? []);
  if (relation.kind === 'm2o') return oneJson(place, relation, key, below);
  const list = manyJson(place, relation, key, () => ({ level: below, member: isWhole }));
  return { sql: list, columns: [[key]] };
}

/** A to-many that was only named: the keys of its items. */
function keysJson(place: Place, relation: ToMany, key: string): Sql {
  const list = manyJson(place, relation, key, (child) => {
    const keys = child.collection.primaryKey;
    const [only, ...more] = keys;
    const hidden = keys.some((field) => visibleField(child, field.name) === null);
    if (only === undefined || hidden) return null;
    const level = levelBelow(place.scope, place.level, key, []);
    // An alias may have the name of a key, which is meant here all the same.
    const own = keys.map((field, index) => [`${OWN_ALIAS}${index}`, field.name] as const);
    return {
      level: {
        ...level,
        alias: new Map([...level.alias, ...own]),
        fields: own.map(([name]) => [name]),
      },
      member: (json) => {
        const values = own.map(([name]) => sql`${json} -> ${name}::text`);
        return more.length === 0 ? join(values) : sql`json_build_array(${join(values)})`;
      },
    };
  });
  return placedGuard(place, relation.field, list);
}

/** The value of one entry, hidden where the field that leads to it is. */
export function partOf(place: Place, key: string, entry: Entry): Part {
  if (isNested(entry)) {
    const part = nestedJson(place, key, entry);
    return { ...part, sql: placedGuard(place, entry.relation.field, part.sql) };
  }
  if (!('digest' in entry)) return { sql: placed(place, entry), columns: [[key]] };
  const { digest, list } = entry;
  const value = digest === 'keys' ? keysJson(place, list, key) : countJson(place, list, key);
  return { sql: value, columns: [[key]] };
}
