/**
 * Compiles what is selected: columns, functions and, as sub-selects of the same statement, related
 * items of any depth.
 */
import type { Field } from '#core/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, Relation, ToMany } from '#core/catalog/relation.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { type Call, callOf, resultKey } from '../call.ts';
import type { Level, Path } from '../query.ts';
import { anyEnds, refersTo } from './any-to-one.ts';
import { callOutput } from './call.ts';
import { countsByOwner, relatedCount } from './count.ts';
import { outputOf } from './output.ts';
import type { Page } from './page.ts';
import {
  childEnds,
  childrenMatch,
  columnNamed,
  columnRef,
  endsMatch,
  enterLevel,
  guardOf,
  isBatch,
  isVisible,
  type LevelPlan,
  noField,
  noteScan,
  refOf,
  type Scope,
  scopedOf,
  visibleField,
  visibleRelation,
  visibleValue,
} from './scope.ts';

/** A relation to be nested: the paths asked of its items, for each collection they may be in. */
interface Nested {
  readonly relation: Relation;
  /** The field that was followed. */
  readonly field: string;
  /** By collection; the empty name stands for all of them. */
  readonly paths: Map<string, Path[]>;
}

/** A list of which only the keys or the number of its items is asked. */
interface Digest {
  readonly digest: 'keys' | 'count';
  readonly list: ToMany;
}

/** Begins the aliases that no request has. */
const OWN_ALIAS = '\u0001key';

type Entry = Sql | Nested | Digest;

function isNested(entry: Entry | undefined): entry is Nested {
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
interface Place {
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

function isPresentation(field: Field): boolean {
  return field.special.includes('no-data');
}

class Selection {
  /** The parts of the answer's object, by key. */
  readonly entries = new Map<string, Entry>();
  readonly #scope: Scope;
  readonly #level: Level;

  constructor(scope: Scope, level: Level) {
    this.#scope = scope;
    this.#level = level;
    for (const path of level.fields) this.#add(path);
    this.#count();
  }

  /** Wildcards multiply below the root; what they bring is bounded like what is named. */
  #count(): void {
    const { context, depth } = this.#scope;
    if (depth === 0) return;
    const { maxFields } = context.bounds;
    if (context.countFields(this.entries.size) > maxFields) {
      throw invalidQuery(`More than ${maxFields} fields and aliases (QUERY_MAX_FIELDS).`);
    }
  }

  #add(path: Path): void {
    const [head = '', ...rest] = path;
    if (head === '*') this.#addAll(rest);
    else if (rest.length > 0) this.#addNested(head, rest);
    else this.#addLeaf(head);
  }

  /** `*`: every field as it is; with a rest, every relation with that rest. */
  #addAll(rest: Path): void {
    const scope = this.#scope;
    for (const field of scope.collection.fields.values()) {
      if (visibleField(scope, field.name) === null || isPresentation(field)) continue;
      // An alias takes the name over, here as when it is asked by name.
      if (this.#level.alias.has(field.name)) continue;
      const relation = visibleRelation(scope, field.name);
      if (this.#expand(field.name, relation, rest) || this.entries.has(field.name)) continue;
      const leaf = this.#leafOf(field, relation);
      if (leaf !== null) this.entries.set(field.name, leaf);
    }
    for (const [name, real] of this.#level.alias) {
      if (this.#expand(name, visibleRelation(scope, real), rest)) continue;
      if (!this.entries.has(name)) this.#addLeaf(name);
    }
  }

  /** Goes on over a relation that a wildcard met, as far as it asks for that, or `deep` does. */
  #expand(name: string, relation: Relation | null, rest: Path): boolean {
    if (relation === null || !this.#isReachable(relation)) return false;
    const back = !this.#scope.context.backlink && isReverse(this.#scope.through, relation);
    if (rest.length > 0 && !back) this.#nest(name, relation, '', rest);
    else if (this.#isShaped(name)) this.#nest(name, relation, '', null);
    else return false;
    return true;
  }

  /** `deep` says what becomes of the relation's items, so that they are more than their keys. */
  #isShaped(name: string): boolean {
    const deep = this.#level.deep.get(name);
    if (deep === undefined) return false;
    return deep.fields.length > 0 || deep.aggregate.length > 0 || deep.groupBy.length > 0;
  }

  /** Something of the items behind the relation may be seen. */
  #isReachable(relation: Relation): boolean {
    const scope = this.#scope;
    if (relation.kind === 'a2o') {
      return relation.allowed.some((end) => isVisible(scope, end.collection));
    }
    const { collection } = relation.kind === 'm2o' ? relation.one : relation.many;
    return isVisible(scope, collection);
  }

  /** The value of a field that stands for itself; null for what a wildcard passes over. */
  #leafOf(field: Field, relation: Relation | null): Entry | null {
    const scope = this.#scope;
    const { column } = field;
    if (column !== null) {
      const ref = refOf(scope, { ...field, column });
      return outputOf(ref.field, visibleValue(ref));
    }
    if (relation === null || relation.kind === 'm2o' || relation.kind === 'a2o') return null;
    if (!isVisible(scope, relation.many.collection)) return null;
    return { digest: 'keys', list: relation };
  }

  #addLeaf(name: string): void {
    const scope = this.#scope;
    const real = this.#level.alias.get(name) ?? name;
    const relation = visibleRelation(scope, real);
    if (relation !== null && this.#isShaped(name)) {
      this.#nest(name, relation, '', null);
      return;
    }
    if (isNested(this.entries.get(name))) return;
    const field = visibleField(scope, real);
    const value = field === null ? null : this.#leafOf(field, relation);
    const found = value ?? this.#relationKey(relation);
    if (found !== null) {
      this.entries.set(name, found);
      return;
    }
    const call = callOf(real);
    if (call === null) throw noField(scope, real, 'fields');
    const output = real === name ? resultKey(call) : name;
    this.entries.set(output, this.#countOf(call) ?? callOutput(scope, call, 'fields'));
  }

  /** A call that counts the items of a list which no index serves. */
  #countOf(call: Call): Digest | null {
    const list = call.name === 'count' ? visibleRelation(this.#scope, call.field) : null;
    if (list === null || list.kind === 'm2o' || list.kind === 'a2o') return null;
    return list.indexed ? null : { digest: 'count', list };
  }

  /** The bare key of a relation that has no field of its own; null when a part of it is missing. */
  #relationKey(relation: Relation | null): Entry | null {
    const scope = this.#scope;
    if (relation === null || relation.kind === 'a2o') return null;
    if (relation.kind !== 'm2o') return { digest: 'keys', list: relation };
    const refs = relation.many.columns.map((column) => columnRef(scope, column, 'fields'));
    const set = refs.map((ref) => sql`${visibleValue(ref)} IS NOT NULL`);
    const values = refs.map((ref) => outputOf(ref.field, ref.column));
    return sql`CASE WHEN ${join(set, ' AND ')} THEN json_build_array(${join(values)}) END`;
  }

  #addNested(head: string, rest: Path): void {
    const scope = this.#scope;
    const { field, collection } = scopedOf(head);
    const real = this.#level.alias.get(field) ?? field;
    const relation = visibleRelation(scope, real);
    if (relation === null) throw noField(scope, path(head, rest), 'fields');
    if (collection === null) {
      this.#nest(field, relation, '', rest);
      return;
    }
    const allowed =
      relation.kind === 'a2o' && relation.allowed.some((end) => end.collection === collection);
    if (!allowed) throw noField(scope, head, 'fields');
    // The parts of a many-to-any that may not be seen drop out; the rest of it stays.
    this.#nest(field, relation, collection, rest);
  }

  #nest(name: string, relation: Relation, collection: string, rest: Path | null): void {
    const existing = this.entries.get(name);
    const nested: Nested = isNested(existing)
      ? existing
      : { relation, field: name, paths: new Map() };
    const paths = nested.paths.get(collection) ?? [];
    if (rest !== null) paths.push(rest);
    nested.paths.set(collection, paths);
    this.entries.set(name, nested);
  }
}

function path(head: string, rest: Path): string {
  return [head, ...rest].join('.');
}

/** Whether a relation leads straight back over the one that was just followed. */
function isReverse(through: Relation | undefined, relation: Relation): boolean {
  if (through === undefined) return false;
  if (relation.kind === 'm2o' || relation.kind === 'a2o') {
    return (
      through.kind !== 'm2o' &&
      through.kind !== 'a2o' &&
      through.many.collection === relation.many.collection &&
      through.manyField === relation.field
    );
  }
  return (
    through.kind === 'm2o' &&
    through.many.collection === relation.many.collection &&
    through.field === relation.manyField
  );
}

/** What a level selects. */
export interface Selected {
  readonly values: ReadonlyMap<string, Sql>;
  /** The paths of the answer's plain values; lists and many-to-any count as one value. */
  readonly columns: readonly Path[];
}

function partOf(place: Place, key: string, entry: Entry): Part {
  if (isNested(entry)) {
    const part = nestedJson(place, key, entry);
    return { ...part, sql: placedGuard(place, entry.relation.field, part.sql) };
  }
  if (!('digest' in entry)) return { sql: placed(place, entry), columns: [[key]] };
  const { digest, list } = entry;
  const value = digest === 'keys' ? keysJson(place, list, key) : countJson(place, list, key);
  return { sql: value, columns: [[key]] };
}

/**
 * The values of a level's answer by their keys: of a row, or, with a page, of a row of that page,
 * which then holds all that the values are made of.
 * @throws ServiceError FORBIDDEN naming field and path; INVALID_QUERY past a bound
 */
export function compileSelection(scope: Scope, level: Level, page: Page | null): Selected {
  const { entries } = new Selection(scope, level);
  const place = { scope, level, page };
  const values = new Map<string, Sql>();
  const columns: Path[] = [];
  for (const [key, entry] of entries) {
    const part = partOf(place, key, entry);
    values.set(key, part.sql);
    columns.push(...part.columns);
  }
  return { values, columns };
}
