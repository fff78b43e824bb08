/**
 * The scope in a plan in which names are looked up: a table and the parts that the caller may see.
 * Every clause resolves its columns here and nowhere else, so that all clauses see the same
 * columns.
 */
import {
  ALL_GRANTS,
  type Caller,
  EVERYTHING,
  type Grant,
  type Grants,
} from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { Sql } from '#core/database/sql.ts';
import {
  type Catalog,
  type Collection,
  type ColumnField,
  type Field,
  isColumn,
} from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, Relation, ToMany } from '#core/model/catalog/relation.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { isLinkConcealed } from './link.ts';
import type { Column, EndColumns, Guard, Match, Right, Table } from './plan.ts';
import { revisionVisibility } from './revision-visibility.ts';

/** The input of a read, besides the query. */
export interface ReadTarget {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly caller: Caller;
  readonly bounds: QueryBounds;
  readonly collection: string;
}

/** Facts about a plan, collected during planning. */
export interface PlanNotes {
  /** Collections whose tables are read. */
  readonly reads: Set<string>;
  /** The result changes without writes, with time or statistics. */
  fleeting: boolean;
  /** Even the text of the statement is valid for this caller only. */
  volatile: boolean;
  /** There are conditions on the rows. */
  conditions: boolean;
  /** Fields selected below the root. */
  fields: number;
  aliases: number;
  /** Scopes whose permissions are not planned yet. */
  readonly open: Scope[];
}

/** What all scopes of one plan share: the catalog, the caller's rights, bounds and notes. */
export interface PlanContext {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly caller: Caller;
  /** The time that `$NOW` stands for. */
  readonly now: Date;
  readonly bounds: QueryBounds;
  /** Whether wildcards may follow a relation back to the previous level. */
  readonly backlink: boolean;
  /** Callers may share the statement: values that depend on the caller become placeholders. */
  readonly usesPlaceholders: boolean;
  readonly notes: PlanNotes;
}

/** Facts about one level of the result, collected during planning. */
export interface LevelNotes {
  /** Its rows cannot be found for one parent without scanning a table. */
  scans: boolean;
}

export interface Scope {
  readonly context: PlanContext;
  readonly table: Table;
  readonly collection: Collection;
  readonly grant: Grant;
  /** Field names from the root to here; empty at the root. */
  readonly path: readonly string[];
  /** The number of relations followed to get here. */
  readonly depth: number;
  /** The relation that led here; undefined at the root. */
  readonly through: Relation | undefined;
  readonly level: LevelNotes;
}

/** `item:block_hero` names one of the collections that a many-to-any relation may refer to. */
export interface ScopedName {
  readonly field: string;
  readonly collection: string | null;
}

export function parseScopedName(segment: string): ScopedName {
  const colon = segment.indexOf(':');
  return colon < 0
    ? { field: segment, collection: null }
    : { field: segment.slice(0, colon), collection: segment.slice(colon + 1) };
}

/**
 * @param usesPlaceholders whether values that depend on the caller or the time become placeholders
 */
export function contextOf(
  target: ReadTarget,
  {
    usesPlaceholders,
    backlink = true,
    now = new Date(),
  }: {
    readonly usesPlaceholders: boolean;
    readonly backlink?: boolean;
    readonly now?: Date;
  },
): PlanContext {
  const { catalog, grants, caller, bounds } = target;
  const notes = {
    reads: new Set<string>(),
    fleeting: false,
    volatile: false,
    conditions: false,
    fields: 0,
    aliases: 0,
    open: [],
  };
  return { catalog, grants, caller, bounds, now, backlink, usesPlaceholders, notes };
}

function placeOf(scope: Scope): string {
  return scope.path.length === 0 ? 'root' : scope.path.join('.');
}

export function unknownField(scope: Scope, name: string, clause: string): Error {
  const named = { collection: scope.collection.name, field: name };
  return refusal(named, { place: `${clause} of ${placeOf(scope)}` });
}

type From = Pick<Scope, 'path' | 'depth' | 'through' | 'level'>;

function newScope(
  context: PlanContext,
  collection: Collection,
  grant: Grant,
  from: From,
  source: Sql | null = null,
): Scope {
  const { notes } = context;
  notes.aliases += 1;
  notes.reads.add(collection.name);
  const rights = grant.map(({ fields }): Right => ({ fields, condition: null }));
  const table = { alias: `t${notes.aliases}`, collection, source, rights };
  const scope = { ...from, context, table, collection, grant };
  if (grant.some(({ rule }) => rule !== null)) notes.open.push(scope);
  return scope;
}

/**
 * Opens the scope of a collection at the root of a plan.
 * @param source a row source that replaces its table
 * @throws ServiceError FORBIDDEN when it does not exist, has no table, or may not be seen
 */
export function openScope(context: PlanContext, name: string, source: Sql | null = null): Scope {
  const collection = context.catalog.collections.get(name);
  const grant = context.grants.of(name);
  if (!collection || collection.table === null || grant === null) {
    throw refusal({ collection: name }, { place: 'root' });
  }
  const from = { path: [], depth: 0, through: undefined, level: { scans: false } };
  return newScope(context, collection, grant, from, source);
}

/** Whether the caller may see anything of a collection. */
export function isVisible({ context }: Pick<Scope, 'context'>, name: string): boolean {
  const { catalog, grants } = context;
  return Boolean(catalog.collections.get(name)?.table) && grants.of(name) !== null;
}

/** Whether there may be collections that are hidden from the caller. */
export function mayHide({ context }: Scope): boolean {
  return context.grants !== ALL_GRANTS;
}

/** The end of a many-to-any relation in a collection, if the caller may see that collection. */
export function visibleRelationEnd(
  scope: Scope,
  { allowed }: AnyToOne,
  name: string | null,
): End | null {
  const end = allowed.find(({ collection }) => collection === name);
  return end !== undefined && isVisible(scope, end.collection) ? end : null;
}

/**
 * Opens the scope of related items, whose collection the caller may see.
 * @param field the name that was followed, for paths in errors
 * @throws ServiceError INVALID_QUERY when too deep
 */
export function enterScope(scope: Scope, relation: Relation, target: string, field: string): Scope {
  const { context, depth, level } = scope;
  const { maxDepth } = context.bounds;
  const path = [...scope.path, field];
  if (depth + 1 > maxDepth) {
    throw invalidQuery(reason('path_too_many_relations_deep', { path: path.join('.'), maxDepth }));
  }
  const collection = context.catalog.collections.get(target);
  const grant = context.grants.of(target);
  if (!collection?.table || grant === null) throw unknownField(scope, field, 'path');
  return newScope(context, collection, grant, { path, depth: depth + 1, through: relation, level });
}

/** Opens the scope of related items that are a level of the answer. */
export function enterLevel(scope: Scope, relation: Relation, target: string, field: string): Scope {
  return enterScope({ ...scope, level: { scans: false } }, relation, target, field);
}

/** The same rows without permissions, for evaluating the permissions' own rules. */
export function unlimited(scope: Scope): Scope {
  const rights = [{ fields: null, condition: null }];
  return {
    ...scope,
    context: { ...scope.context, grants: ALL_GRANTS },
    table: { ...scope.table, rights },
    grant: EVERYTHING,
  };
}

/** Whether some permission covers the field. */
function maySee(scope: Scope, name: string): boolean {
  return scope.grant.some((entry) => entry.fields === null || entry.fields.has(name));
}

/** The visible rows on which the caller may see the field; null: all of them. */
export function guardOf({ grant, table }: Scope, name: string): Guard | null {
  const covering = grant.flatMap(({ fields, rule }, index) =>
    fields === null || fields.has(name) ? [{ index, rule }] : [],
  );
  if (covering.length === grant.length || covering.some(({ rule }) => rule === null)) return null;
  return { table, rights: covering.map(({ index }) => index) };
}

/** The field of that name, if the caller may see it. */
export function visibleField(scope: Scope, name: string): Field | null {
  const field = scope.collection.fields.get(name);
  return field !== undefined && maySee(scope, name) ? field : null;
}

/**
 * Whether the caller may see the target collection of a relation; a many-to-any target may be
 * hidden.
 */
function leadsOn(scope: Scope, relation: Relation): boolean {
  if (relation.kind === 'a2o') return true;
  const { collection } = relation.kind === 'm2o' ? relation.one : relation.many;
  return isVisible(scope, collection);
}

/**
 * The relation of that name, if the caller may see its field, its linking columns and its target.
 * Otherwise the field has no relation.
 */
export function visibleRelation(scope: Scope, name: string): Relation | null {
  const { catalog } = scope.context;
  const relation = catalog.relations.get(scope.collection.name)?.get(name);
  if (relation === undefined || !maySee(scope, name) || !leadsOn(scope, relation)) return null;
  return isLinkConcealed(catalog, relation) ? null : relation;
}

/** A column of the scope by its field. */
export function columnReference(scope: Scope, own: ColumnField): Column {
  const guard = guardOf(scope, own.name);
  const { catalog, grants } = scope.context;
  const open = (name: string) => openScope(scope.context, name).table;
  const past = revisionVisibility({ catalog, grants, open }, scope.collection, own);
  const field = past !== null || own.codec === null ? own : { ...own, column: own.codec.column };
  return { table: scope.table, own, field, past, guard };
}

/**
 * Finds a column that the caller may see.
 * @param clause the query parameter that names it, for the error
 * @throws ServiceError FORBIDDEN naming field and path
 */
export function columnRef(scope: Scope, name: string, clause: string): Column {
  const field = visibleField(scope, name);
  if (field === null || !isColumn(field)) throw unknownField(scope, name, clause);
  return columnReference(scope, field);
}

/** Every column that the caller may see, in the order of the table. */
export function visibleColumns(scope: Scope): ColumnField[] {
  return [...scope.collection.fields.values()].filter(
    (field): field is ColumnField => isColumn(field) && maySee(scope, field.name),
  );
}

/**
 * The comparison of the columns at both ends of a relation; the statement searches rows of the left
 * one.
 */
export function endsMatch(left: EndColumns, right: EndColumns): Match {
  return { kind: 'ends', left, right };
}

/** The items of a to-many relation that belong to the row of the parent. */
export function childrenMatch(parent: Scope, child: Scope, { one, many }: ToMany): Match {
  return endsMatch(
    { table: child.table, columns: many.columns },
    { table: parent.table, columns: one.columns },
  );
}
