/**
 * Compiles what is selected: columns, functions and, as sub-selects of the same statement, related
 * items of any depth.
 */
import type { Field } from '#core/catalog/catalog.ts';
import type { AnyToOne, ManyToOne, Relation, ToMany } from '#core/catalog/relation.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { callOf, resultKey } from '../call.ts';
import type { Level, Path } from '../query.ts';
import { anyMatch, refersTo } from './any-to-one.ts';
import { callOutput } from './call.ts';
import { outputOf } from './output.ts';
import {
  childrenMatch,
  columnNamed,
  columnRef,
  endsMatch,
  enterScope,
  guarded,
  isVisible,
  type LevelPlan,
  noField,
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

/** The parts of the answer's object, by key. */
type Entries = Map<string, Sql | Nested>;

function isNested(entry: Sql | Nested | undefined): entry is Nested {
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

function oneJson(scope: Scope, relation: ManyToOne, key: string, level: Level): Part {
  const target = enterScope(scope, relation, relation.one.collection, key);
  const match = endsMatch(
    { scope: target, columns: relation.one.columns },
    { scope, columns: relation.many.columns },
  );
  const single = { ...level, sort: [], limit: null, offset: 0, aggregate: [], groupBy: [] };
  const plan = target.context.planLevel(target, single, [match], { ordered: false });
  return { sql: objectJson(plan), columns: plan.columns.map((path) => [key, ...path]) };
}

/** The related items of a list; without an index on the key behind them, all are grouped at once. */
function manyJson(scope: Scope, relation: ToMany, key: string, level: Level): Sql {
  const child = enterScope(scope, relation, relation.many.collection, key);
  return listJson(child.context.planLevel(child, level, [childrenMatch(scope, child, relation)]));
}

/** An object of whichever collection the row refers to; the bare key where nothing was asked of it. */
function anyJson(scope: Scope, relation: AnyToOne, nested: Nested, level: Level): Sql {
  const stored = columnNamed(scope, relation.many.columns[0] ?? '');
  const branches = relation.allowed.map((end) => {
    const when = refersTo(scope, relation, end.collection);
    if (!isVisible(scope, end.collection)) return sql` WHEN ${when} THEN NULL::json`;
    const paths = [...(nested.paths.get('') ?? []), ...(nested.paths.get(end.collection) ?? [])];
    const name = `${nested.field}:${end.collection}`;
    const below = levelBelow(scope, level, name, paths);
    if (below.fields.length === 0) return sql` WHEN ${when} THEN to_json(${stored})`;
    const target = enterScope(scope, relation, end.collection, name);
    const match = anyMatch(scope, target, relation, end);
    const single = { ...below, sort: [], limit: null, offset: 0 };
    return sql` WHEN ${when} THEN ${objectJson(target.context.planLevel(target, single, [match], { ordered: false }))}`;
  });
  return branches.length === 0 ? sql`to_json(${stored})` : sql`CASE${join(branches, '')} END`;
}

/** A value of the answer, and the paths of the plain values inside it for tables such as CSV. */
interface Part {
  readonly sql: Sql;
  readonly columns: readonly Path[];
}

function nestedJson(scope: Scope, level: Level, key: string, nested: Nested): Part {
  const { relation } = nested;
  if (relation.kind === 'a2o') {
    return { sql: anyJson(scope, relation, nested, level), columns: [[key]] };
  }
  const below = levelBelow(scope, level, key, nested.paths.get('') ?? []);
  return relation.kind === 'm2o'
    ? oneJson(scope, relation, key, below)
    : { sql: manyJson(scope, relation, key, below), columns: [[key]] };
}

/** A to-many that was only named: the keys of its items. */
function keysJson(scope: Scope, relation: ToMany, level: Level, key: string): Sql {
  const child = enterScope(scope, relation, relation.many.collection, key);
  const keys = child.collection.primaryKey;
  const below = levelBelow(scope, level, key, []);
  const paths = keys.map((field) => [field.name]);
  if (keys.some((field) => visibleField(child, field.name) === null)) return sql`'[]'::json`;
  const plan = child.context.planLevel(child, { ...below, fields: paths }, [
    childrenMatch(scope, child, relation),
  ]);
  const [only, ...more] = keys;
  if (only === undefined) return sql`'[]'::json`;
  const member = (name: string) => sql`${plan.json} -> ${name}::text`;
  const value =
    more.length === 0
      ? member(only.name)
      : sql`json_build_array(${join(keys.map((field) => member(field.name)))})`;
  const list = sql`(SELECT coalesce(json_agg(${value}), '[]') FROM (${plan.rows}) AS r)`;
  return guarded(scope, relation.field, list);
}

function isPresentation(field: Field): boolean {
  return field.special.includes('no-data');
}

class Selection {
  readonly entries: Entries = new Map();
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
      const leaf = this.#leafOf(field.name, field, relation);
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
  #leafOf(name: string, field: Field, relation: Relation | null): Sql | null {
    const scope = this.#scope;
    const { column } = field;
    if (column !== null) {
      const ref = refOf(scope, { ...field, column });
      return outputOf(ref.field, visibleValue(ref));
    }
    if (relation === null || relation.kind === 'm2o' || relation.kind === 'a2o') return null;
    if (!isVisible(scope, relation.many.collection)) return null;
    return keysJson(scope, relation, this.#level, name);
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
    const value = field === null ? null : this.#leafOf(name, field, relation);
    const found = value ?? this.#relationKey(relation, name);
    if (found !== null) {
      this.entries.set(name, found);
      return;
    }
    const call = callOf(real);
    if (call === null) throw noField(scope, real, 'fields');
    const output = real === name ? resultKey(call) : name;
    this.entries.set(output, callOutput(scope, call, 'fields'));
  }

  /** The bare key of a relation that has no field of its own; null when a part of it is missing. */
  #relationKey(relation: Relation | null, name: string): Sql | null {
    const scope = this.#scope;
    if (relation === null || relation.kind === 'a2o') return null;
    if (relation.kind !== 'm2o') return keysJson(scope, relation, this.#level, name);
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

/**
 * The values of a level's answer by their keys.
 * @throws ServiceError FORBIDDEN naming field and path; INVALID_QUERY past a bound
 */
export function compileSelection(scope: Scope, level: Level): Selected {
  const { entries } = new Selection(scope, level);
  const values = new Map<string, Sql>();
  const columns: Path[] = [];
  for (const [key, entry] of entries) {
    const part: Part = isNested(entry)
      ? nestedJson(scope, level, key, entry)
      : { sql: entry, columns: [[key]] };
    const isRelation = isNested(entry);
    values.set(key, isRelation ? guarded(scope, entry.relation.field, part.sql) : part.sql);
    columns.push(...part.columns);
  }
  return { values, columns };
}
