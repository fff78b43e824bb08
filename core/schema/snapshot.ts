/**
 * The schema of an installation as one document: collections, fields and relations. Data that
 * concerns only this database is omitted, so that the schema can be recreated in another one.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { compareText } from '#core/model/catalog/canonical-text.ts';
import type { Catalog, Collection, Field } from '#core/model/catalog/catalog.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { type RelationObject, relationObjects } from './relation-object.ts';
import { hashList } from './schema-hash.ts';
import { collectionObject, fieldObject, type MetaObject } from './schema-object.ts';

/** Version of the document: with all collections, or with some of them. */
export const SNAPSHOT_VERSION = { whole: 1, partial: 2 } as const;

export const VENDOR = 'postgres';

type Members = Readonly<Record<string, unknown>>;

export interface SnapshotCollection {
  readonly collection: string;
  readonly meta: MetaObject | null;
  /** Null for a folder. `kind` when it is not a plain table, `primary_key` for a composite key. */
  readonly schema: Members | null;
}

export interface SnapshotField {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly meta: MetaObject | null;
  /** Null for an alias. */
  readonly schema: Members | null;
}

export interface SnapshotSystemField {
  readonly collection: string;
  readonly field: string;
  readonly schema: { readonly is_indexed: boolean };
}

export interface SnapshotRelation {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta: MetaObject | null;
  /** Null without a foreign key. */
  readonly schema: Members | null;
}

/** The content of a snapshot. */
export interface SnapshotContent {
  readonly collections: readonly SnapshotCollection[];
  readonly fields: readonly SnapshotField[];
  readonly systemFields: readonly SnapshotSystemField[];
  readonly relations: readonly SnapshotRelation[];
}

export interface Snapshot extends SnapshotContent {
  readonly version: number;
  /** The release that created it. */
  readonly sluice: string;
  readonly vendor: string;
}

/** The collections in a snapshot; all of them without either list. */
export interface SnapshotChoice {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

function without(object: MetaObject | null, ...names: readonly string[]): MetaObject | null {
  if (object === null) return null;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function collectionOf(collection: Collection): SnapshotCollection {
  const { meta, schema } = collectionObject(collection);
  const { name, table } = collection;
  if (table === null || schema === null) return { collection: name, meta, schema: null };
  const kind = table.kind === 'table' ? {} : { kind: table.kind };
  const key = table.primaryKey ?? [];
  const wide = key.length > 1 ? { primary_key: key } : {};
  return {
    collection: name,
    meta,
    schema: { name: schema.name, comment: schema.comment, ...kind, ...wide },
  };
}

/** SQL that `default_value` contains as text; a constant is never as long as its own expression. */
function isExpression(field: Field, value: unknown): boolean {
  return (
    value !== null &&
    value === field.column?.defaultExpression &&
    !/^-?\d|^true$|^false$/.test(String(value))
  );
}

/** The functions that are allowed as defaults, in requests and snapshots. */
const KNOWN_DEFAULT = /^(?:now\(\)|CURRENT_TIMESTAMP(?:\(\d\))?|gen_random_uuid\(\))$/i;

/** The default of a column; an expression is marked, because only this database can compute it. */
function defaultOf(field: Field, value: unknown, automatic: boolean): Members {
  if (automatic && (value === null || /^nextval\(/.test(String(value))))
    return { default_value: null };
  const marked = isExpression(field, value) && !KNOWN_DEFAULT.test(String(value));
  return marked ? { default_value: value, default_is_expression: true } : { default_value: value };
}

function fieldOf(collection: Collection, field: Field): SnapshotField {
  const { type, meta, schema } = fieldObject(collection, field);
  const common = {
    collection: collection.name,
    field: field.name,
    type,
    meta: without(meta, 'id'),
  };
  if (schema === null) return { ...common, schema: null };
  // The schemas of tables and the state of index builds concern only this database.
  const { schema: _, foreign_key_schema: __, index_state: ___, ...portable } = schema;
  const defaults = defaultOf(field, schema.default_value, schema.has_auto_increment);
  return { ...common, schema: { ...portable, ...defaults } };
}

function relationOf({ meta, schema, ...relation }: RelationObject): SnapshotRelation {
  if (schema === null) return { ...relation, meta: without(meta, 'id'), schema: null };
  const { foreign_key_schema: _, ...portable } = schema;
  return { ...relation, meta: without(meta, 'id'), schema: portable };
}

function* systemFieldsOf(collection: Collection): Generator<SnapshotSystemField> {
  for (const field of collection.fields.values()) {
    if (!isBuiltIn(collection, field.name)) continue;
    if (fieldObject(collection, field).schema?.is_indexed !== true) continue;
    yield { collection: collection.name, field: field.name, schema: { is_indexed: true } };
  }
}

/** @throws ServiceError INVALID_QUERY for both lists at once, and for unknown names */
function chosen(catalog: Catalog, { include, exclude }: SnapshotChoice): readonly Collection[] {
  if (include !== undefined && exclude !== undefined) {
    throw invalidQuery(reason('include_and_exclude_collections'));
  }
  for (const name of [...(include ?? []), ...(exclude ?? [])]) {
    if (catalog.collections.get(name)?.system === false) continue;
    throw invalidQuery(reason('no_collection_of_snapshots', { name }));
  }
  return [...catalog.collections.values()]
    .filter(({ name, system }) => !system && !(exclude?.includes(name) ?? false))
    .filter(({ name }) => include?.includes(name) ?? true)
    .sort((a, b) => compareText(a.name, b.name));
}

/**
 * Takes a snapshot. Fields are in the order of their columns, everything else is sorted by name.
 * @throws ServiceError INVALID_QUERY when the lists of collections are invalid
 */
export async function takeSnapshot(
  catalog: Catalog,
  choice: SnapshotChoice = {},
): Promise<Snapshot> {
  const partial = choice.include !== undefined || choice.exclude !== undefined;
  const collections: SnapshotCollection[] = [];
  const fields: SnapshotField[] = [];
  const relations: SnapshotRelation[] = [];
  const systemFields: SnapshotSystemField[] = [];
  const slice = new TimeSlice();
  for (const collection of chosen(catalog, choice)) {
    collections.push(collectionOf(collection));
    for (const field of collection.fields.values()) fields.push(fieldOf(collection, field));
    const own = relationObjects(catalog, collection).map(relationOf);
    relations.push(...own.sort((a, b) => compareText(a.field, b.field)));
    await slice.rest();
  }
  if (!partial) {
    for (const collection of catalog.collections.values()) {
      if (collection.system) systemFields.push(...systemFieldsOf(collection));
    }
  }
  return {
    version: partial ? SNAPSHOT_VERSION.partial : SNAPSHOT_VERSION.whole,
    sluice: RELEASE,
    vendor: VENDOR,
    ...{ collections, fields, systemFields, relations },
  };
}

/** The hash of a snapshot; it detects changes of the schema. */
export function snapshotHash(snapshot: Snapshot): Promise<string> {
  const { version, sluice, vendor, collections, fields, systemFields, relations } = snapshot;
  return hashList([
    { version, sluice, vendor },
    ...collections,
    ...fields,
    ...systemFields,
    ...relations,
  ]);
}
