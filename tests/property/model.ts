/**
 * The world that a property runs in, in plain values: tables with their rows, and how they refer
 * to each other. Knows nothing of the service under test.
 */

export type ScalarType =
  | 'string'
  | 'text'
  | 'integer'
  | 'bigInteger'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'timestamp'
  | 'uuid'
  | 'json'
  | 'enum'
  | 'csv'
  | 'hash'
  /** A column of some other type that is marked as concealed. */
  | 'secret';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** An item as an answer would show it: every value already in the form of the wire. */
export type Row = Readonly<Record<string, Json>>;

export interface Column {
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable: boolean;
  readonly searchable: boolean;
  /** The column's type in SQL. */
  readonly sqlType: string;
  /** What the documents of a json column are. */
  readonly shape: 'list' | 'object';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Empty: no primary key; the first column is distinct all the same. */
  readonly key: readonly string[];
  /** The collection's own order. */
  readonly sortField: string | null;
  readonly rows: readonly Row[];
}

export interface ManyToOne {
  readonly kind: 'm2o';
  readonly table: string;
  readonly field: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
  /** Backed by a foreign key. */
  readonly constrained: boolean;
}

export interface AnyToOne {
  readonly kind: 'a2o';
  readonly table: string;
  readonly field: string;
  readonly discriminator: string;
  readonly allowed: readonly string[];
}

export interface ToMany {
  readonly kind: 'o2m' | 'm2m' | 'm2a';
  readonly table: string;
  readonly field: string;
  /** A field of its own in the metadata; others are addressable, but no part of a wildcard. */
  readonly listed: boolean;
  readonly child: string;
  readonly childColumns: readonly string[];
  readonly columns: readonly string[];
  /** The m2o of the child that this is the reverse of. */
  readonly manyField: string;
  readonly junctionField: string | null;
  readonly sortField: string | null;
}

export type Relation = ManyToOne | AnyToOne | ToMany;

/** A row of the relations' metadata. */
export interface RelationRecord {
  readonly many_collection: string;
  readonly many_field: string;
  readonly one_collection: string | null;
  readonly one_field: string | null;
  readonly one_collection_field: string | null;
  readonly one_allowed_collections: string | null;
  readonly junction_field: string | null;
  readonly sort_field: string | null;
}

export interface World {
  /** Which of the columns that refer to others have an index. */
  readonly indexed: 'none' | 'some' | 'all';
  readonly tables: readonly Table[];
  readonly relations: readonly Relation[];
  readonly records: readonly RelationRecord[];
}

/** What stands for a value that is never shown; rows hold nothing else of it. */
export const MASK = '**********';

/** Values of these types tell only whether they are there. */
export const CONCEALED: ReadonlySet<string> = new Set(['hash', 'secret']);

/** Values of these types have no order. */
export const UNORDERED: ReadonlySet<string> = new Set(['json', ...CONCEALED]);

/** In their order, which is not that of the alphabet. */
export const ENUM_VALUES: readonly string[] = ['low', 'mid', 'High', 'zed'];

/** A query as a client would put it, unspelled. */
export type Parameters = Readonly<Record<string, Json>>;

/** Who asks. */
export interface Asker {
  readonly user: string | null;
  readonly role: string | null;
  readonly roles: readonly string[];
  readonly policies: readonly string[];
}

export function tableOf(world: World, name: string): Table {
  const table = world.tables.find((entry) => entry.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}

export function columnOf(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => column.name === name);
}

export function relationOf(world: World, table: string, field: string): Relation | undefined {
  return world.relations.find((entry) => entry.table === table && entry.field === field);
}

export function relationsOf(world: World, table: string): readonly Relation[] {
  return world.relations.filter((entry) => entry.table === table);
}
