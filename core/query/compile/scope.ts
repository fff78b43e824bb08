/**
 * The place in a statement from which names are looked up: a collection, the alias its table has
 * there, and what the caller may see of it. Every clause finds its columns here and nowhere else,
 * so that no clause can see more than another.
 */
import { strict as assert } from 'node:assert';
import {
  ALL_GRANTS,
  type Caller,
  EVERYTHING,
  type Grant,
  type Grants,
} from '#core/access/grants.ts';
import type { Catalog, Collection, ColumnField, Field } from '#core/catalog/catalog.ts';
import type { ColumnDescriptor } from '#core/catalog/descriptor.ts';
import type { Relation, ToMany } from '#core/catalog/relation.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, invalidQuery, ServiceError } from '#core/errors/service-error.ts';
import type { Filter, Level, Path, QueryBounds } from '../query.ts';
import { comparedAs } from './join-type.ts';
import { isLinkConcealed } from './link.ts';

/** A sub-select, to be aliased `r`, and the expression that makes JSON of a row of it. */
export interface LevelPlan {
  readonly rows: Sql;
  readonly json: Sql;
  /** The paths of the plain values in an object, in their order. */
  readonly columns: readonly Path[];
}

/** `conditions` hold the rows to their parent or to their keys; `ordered` is false for single rows. */
export type PlanLevel = (
  scope: Scope,
  level: Level,
  conditions: readonly Sql[],
  options?: { readonly ordered?: boolean },
) => LevelPlan;

/** Related items of many parents, and how they are told apart. */
export interface Batch {
  /** The columns of an item that tell whose it is. */
  readonly owner: readonly Sql[];
  /** A select of the parents' keys. */
  readonly keys: Sql;
  /** A parent has at most one item, whose object is the value; else the value is a list. */
  readonly single: boolean;
  /** The value that a list has of an item's object, or the object of a single one. */
  readonly member: (json: Sql) => Sql;
}

/** A select with one row for each parent that has items. */
export interface BatchPlan {
  /** Its columns are the owner's and `value`. */
  readonly sql: Sql;
  readonly columns: readonly Path[];
  /** The value of parents without items where that is not an empty list. */
  readonly nothing?: Sql | null;
}

export type PlanBatch = (scope: Scope, level: Level, batch: Batch) => BatchPlan;

/** What is the same all over one statement. */
export interface Context {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly caller: Caller;
  /** The moment that `$NOW` stands for. */
  readonly now: Date;
  readonly bounds: QueryBounds;
  /**
   * Compiles a filter for rows of a scope; handed in, because rules are filters too. `apart` when
   * it will stand beside an OR, or in a CASE.
   */
  readonly compileRule: (scope: Scope, rule: Filter, apart: boolean) => Sql;
  /** Plans the rows of a level; handed in, because levels nest. */
  readonly planLevel: PlanLevel;
  readonly planBatch: PlanBatch;
  /** What a column of a scope holds where it holds an item as it was; null for other columns. */
  readonly pastOf: (scope: Scope, field: ColumnField, column: Sql) => Sql | null;
  /** Levels, by {@link levelName}, that are read for all their parents at once. */
  readonly batches: ReadonlySet<string>;
  /** Collects the levels that cannot be read for one parent without scanning a table. */
  readonly scans: Set<string>;
  /** Told when the rows of the level that is being planned take such a scan. */
  readonly markScan: () => void;
  /** Whether wildcards may go back over the relation that was just followed. */
  readonly backlink: boolean;
  /** The statement may be carried out for others: what depends on the caller becomes a slot. */
  readonly slots: boolean;
  /** Told of each collection whose table the statement reads. */
  readonly noteRead: (collection: string) => void;
  /** Told when the answer changes by itself, with time or statistics. */
  readonly markFleeting: () => void;
  /** Told when even the text holds for this caller only. */
  readonly markVolatile: () => void;
  /** Adds to the number of fields selected below the root; returns the sum. */
  readonly countFields: (more: number) => number;
  /** Gives the next alias of the statement. */
  readonly nextAlias: () => string;
}

export interface Scope {
  readonly context: Context;
  readonly collection: Collection;
  readonly grant: Grant;
  /** Alias of the collection's table in the statement. */
  readonly alias: string;
  /** What stands in the table's place; undefined: the table itself. */
  readonly source?: Sql;
  /** Field names from the root to here; empty at the root. */
  readonly path: readonly string[];
  /** Relations that were followed to get here. */
  readonly depth: number;
  /** The relation that led here; undefined at the root. */
  readonly through: Relation | undefined;
  /** The predicate of a field's visibility, by field; compiled at most once. */
  readonly guards: Map<string, Sql | null>;
}

/** A column as clauses may use it: null wherever the caller may not see it. */
export interface ColumnRef {
  /** Its column has the type that the value has, whatever is stored. */
  readonly field: ColumnField;
  /** The field's value. */
  readonly column: Sql;
  /** What the column stores. */
  readonly bare: Sql;
  /** When the caller sees it; null: always. */
  readonly guard: Sql | null;
}

/** `item:block_hero` names one of the collections that a many-to-any may refer to. */
export interface Scoped {
  readonly field: string;
  readonly collection: string | null;
}

export function scopedOf(segment: string): Scoped {
  const colon = segment.indexOf(':');
  return colon < 0
    ? { field: segment, collection: null }
    : { field: segment.slice(0, colon), collection: segment.slice(colon + 1) };
}

function placeOf(scope: Scope): string {
  return scope.path.length === 0 ? 'root' : scope.path.join('.');
}

function noCollection(name: string, place: string): Error {
  return forbidden(
    `You have no permission to access collection "${name}" or it does not exist (queried in ${place}).`,
  );
}

export function noField(scope: Scope, name: string, clause: string): Error {
  return forbidden(
    `You have no permission to access field "${name}" in collection "${scope.collection.name}" ` +
      `or it does not exist (queried in ${clause} of ${placeOf(scope)}).`,
  );
}

function newScope(
  context: Context,
  collection: Collection,
  grant: Grant,
  from: Pick<Scope, 'path' | 'depth' | 'through'>,
): Scope {
  const alias = context.nextAlias();
  context.noteRead(collection.name);
  return { ...from, context, collection, grant, alias, guards: new Map() };
}

/**
 * Opens the scope of a collection at the root of a statement.
 * @throws ServiceError FORBIDDEN when it does not exist, has no table, or may not be seen
 */
export function openScope(context: Context, name: string): Scope {
  const collection = context.catalog.collections.get(name);
  const grant = context.grants.of(name);
  if (!collection || collection.table === null || grant === null) throw noCollection(name, 'root');
  return newScope(context, collection, grant, { path: [], depth: 0, through: undefined });
}

/** Whether the caller may see anything of a collection. */
export function isVisible(scope: Scope, name: string): boolean {
  const { catalog, grants } = scope.context;
  return Boolean(catalog.collections.get(name)?.table) && grants.of(name) !== null;
}

/**
 * Opens the scope of related items.
 * @param field the name that was followed, for paths in errors
 * @throws ServiceError FORBIDDEN when the collection may not be seen, INVALID_QUERY when too deep
 */
export function enterScope(scope: Scope, relation: Relation, target: string, field: string): Scope {
  const { context, depth } = scope;
  const { maxDepth } = context.bounds;
  const path = [...scope.path, field];
  if (depth + 1 > maxDepth) {
    throw invalidQuery(
      `"${path.join('.')}" goes through more than ${maxDepth} relations (MAX_RELATIONAL_DEPTH).`,
    );
  }
  const collection = context.catalog.collections.get(target);
  const grant = context.grants.of(target);
  if (!collection?.table || grant === null) throw noCollection(target, path.join('.'));
  return newScope(context, collection, grant, { path, depth: depth + 1, through: relation });
}

function levelName(path: readonly string[]): string {
  return path.map((segment) => `${segment}\n`).join('');
}

/** Opens the scope of related items that are a level of the answer. */
export function enterLevel(scope: Scope, relation: Relation, target: string, field: string): Scope {
  const child = enterScope(scope, relation, target, field);
  const context = { ...child.context, markScan: () => noteScan(scope, field) };
  return { ...child, context };
}

/** Notes that something below the scope cannot be read for one row without scanning a table. */
export function noteScan(scope: Scope, field: string): void {
  const path = [...scope.path, field];
  for (const index of path.keys()) scope.context.scans.add(levelName(path.slice(0, index + 1)));
}

/** Whether what the field leads to is read for all rows of the scope at once. */
export function isBatch(scope: Scope, field: string): boolean {
  return scope.context.batches.has(levelName([...scope.path, field]));
}

/** Whether something below the scope is read for all its rows at once. */
export function isAboveBatch(scope: Scope): boolean {
  const own = levelName(scope.path);
  return [...scope.context.batches].some((name) => name !== own && name.startsWith(own));
}

/** The same rows seen without limits, for the rules that set the limits. */
function unlimited(scope: Scope): Scope {
  const context = { ...scope.context, grants: ALL_GRANTS };
  return { ...scope, context, grant: EVERYTHING, guards: new Map() };
}

/** A rule that cannot be compiled, as when it names a field that was dropped, holds for no row. */
export function ruleSql(scope: Scope, rule: Filter, apart = false): Sql {
  try {
    return scope.context.compileRule(scope, rule, apart);
  } catch (error) {
    if (error instanceof ServiceError) return sql`FALSE`;
    throw error;
  }
}

function anyRule(scope: Scope, rules: readonly (Filter | null)[], apart: boolean): Sql | null {
  if (rules.some((rule) => rule === null)) return null;
  const inner = unlimited(scope);
  const parts = rules.flatMap((rule) => (rule === null ? [] : [ruleSql(inner, rule, apart)]));
  return sql`(${join(parts, ' OR ')})`;
}

/** Which rows of the scope the caller sees; null: all. */
export function rowRule(scope: Scope): Sql | null {
  return anyRule(
    scope,
    scope.grant.map((entry) => entry.rule),
    scope.grant.length > 1,
  );
}

/** Whether some case of the grant covers the field. */
function maySee(scope: Scope, name: string): boolean {
  return scope.grant.some((entry) => entry.fields === null || entry.fields.has(name));
}

/** On which of the visible rows the caller sees the field; null: on all. */
export function guardOf(scope: Scope, name: string): Sql | null {
  const known = scope.guards.get(name);
  if (known !== undefined) return known;
  const covering = scope.grant.filter((entry) => entry.fields === null || entry.fields.has(name));
  const guard =
    covering.length === scope.grant.length
      ? null
      : anyRule(
          scope,
          covering.map((entry) => entry.rule),
          true,
        );
  scope.guards.set(name, guard);
  return guard;
}

/** The field of that name, if the caller may see it. */
export function visibleField(scope: Scope, name: string): Field | null {
  const field = scope.collection.fields.get(name);
  return field !== undefined && maySee(scope, name) ? field : null;
}

/** The relation of that name, if the caller may see the field it belongs to, and what it holds. */
export function visibleRelation(scope: Scope, name: string): Relation | null {
  const { catalog } = scope.context;
  const relation = catalog.relations.get(scope.collection.name)?.get(name);
  if (relation === undefined || !maySee(scope, name)) return null;
  return isLinkConcealed(catalog, relation) ? null : relation;
}

function isColumn(field: Field): field is ColumnField {
  return field.column !== null;
}

/** A column of the scope by its field. */
export function refOf(scope: Scope, field: ColumnField): ColumnRef {
  const bare = identifier(scope.alias, field.column.name);
  const guard = guardOf(scope, field.name);
  const past = scope.context.pastOf(scope, field, bare);
  if (past !== null) return { field, column: past, bare: past, guard };
  const { stored } = field;
  if (stored === null) return { field, column: bare, bare, guard };
  return { field: { ...field, column: stored.column }, column: stored.value(bare), bare, guard };
}

/**
 * Finds a column that the caller may see.
 * @param clause the query parameter that names it, for the error
 * @throws ServiceError FORBIDDEN naming field and path
 */
export function columnRef(scope: Scope, name: string, clause: string): ColumnRef {
  const field = visibleField(scope, name);
  if (field === null || !isColumn(field)) throw noField(scope, name, clause);
  return refOf(scope, field);
}

/** Every column that the caller may see, in the order of the table. */
export function visibleColumns(scope: Scope): ColumnField[] {
  return [...scope.collection.fields.values()].filter(
    (field): field is ColumnField => isColumn(field) && maySee(scope, field.name),
  );
}

/** A value of the row's field where the caller may see that field, else null. */
export function guarded(scope: Scope, field: string, value: Sql): Sql {
  const guard = guardOf(scope, field);
  return guard === null ? value : sql`CASE WHEN ${guard} THEN ${value} END`;
}

/** A condition that holds only on rows where the caller may see the field. */
export function whereSeen(scope: Scope, field: string, condition: Sql): Sql {
  const guard = guardOf(scope, field);
  return guard === null ? condition : sql`(${guard} AND ${condition})`;
}

/** The value of a column where the caller may see it, else null. */
export function visibleValue(ref: ColumnRef): Sql {
  return ref.guard === null ? ref.column : sql`CASE WHEN ${ref.guard} THEN ${ref.column} END`;
}

/** A column by its name in the table, for the conditions that hold relations together. */
export function columnNamed(scope: Scope, name: string): Sql {
  return identifier(scope.alias, name);
}

/** Columns of one end of a relation. */
interface EndColumns {
  readonly scope: Scope;
  readonly columns: readonly string[];
}

function typeOf(scope: Scope, name: string): ColumnDescriptor | undefined {
  return scope.collection.table?.columns.find((column) => column.name === name);
}

/**
 * The columns of one end as they compare with those of the other: without a foreign key they may be
 * of other types, such as a UUID kept as text.
 */
function endColumns(end: EndColumns, other: EndColumns): Sql[] {
  assert.equal(end.columns.length, other.columns.length);
  return end.columns.map((name, index) => {
    const column = columnNamed(end.scope, name);
    const own = typeOf(end.scope, name);
    const wanted = typeOf(other.scope, other.columns[index] ?? '');
    return own && wanted ? comparedAs(column, own, wanted) : column;
  });
}

/** `(a.x = b.y AND …)` over both ends of a relation, where rows of the left one are looked for. */
export function endsMatch(left: EndColumns, right: EndColumns): Sql {
  const given = endColumns(right, left);
  return join(
    left.columns.map((name, index) => sql`${columnNamed(left.scope, name)} = ${given[index]}`),
    ' AND ',
  );
}

/** The items of a to-many relation that belong to the row of the parent. */
export function childrenMatch(parent: Scope, child: Scope, relation: ToMany): Sql {
  return endsMatch(
    { scope: child, columns: relation.many.columns },
    { scope: parent, columns: relation.one.columns },
  );
}

/**
 * The two sides of a to-many: the keys of the parent, and what tells whose a child is, such that
 * children which are equal in it belong to the same parent.
 */
export function childEnds(
  parent: Scope,
  child: Scope,
  relation: ToMany,
): { readonly keys: readonly Sql[]; readonly owner: readonly Sql[] } {
  const { one, many } = relation;
  const end = { scope: child, columns: many.columns };
  return {
    keys: one.columns.map((name) => columnNamed(parent, name)),
    owner: endColumns(end, { scope: parent, columns: one.columns }),
  };
}

export function tableSql(scope: Scope): Sql {
  const { table } = scope.collection;
  assert(table !== null);
  const rows = scope.source ?? identifier(table.schema, table.name);
  return sql`${rows} AS ${raw(scope.alias)}`;
}

export function whereSql(conditions: readonly (Sql | null)[]): Sql {
  const parts = conditions.filter((condition) => condition !== null);
  return parts.length === 0 ? sql`` : sql` WHERE ${join(parts, ' AND ')}`;
}
