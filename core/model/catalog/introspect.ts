/** Reads the data for the catalog from PostgreSQL; `build-descriptors.ts` converts it. */

import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Client } from '#core/database/pool.ts';
import { render } from '#core/database/sql.ts';
import { compareText } from './canonical-text.ts';
import type { TableDescriptor } from './descriptor.ts';
import { introspection } from './introspection-statement.ts';
import { readsWholeCatalogs, withoutNestedLoops } from './planner-settings.ts';

/** A table as found, whether or not it can be served. */
export interface FoundTable extends TableDescriptor {
  /** Distinguishes it from another table of the same name. */
  readonly oid: string;
  /** The role can use the schema and read the whole table. */
  readonly readable: boolean;
}

/** A row of `system_collections`. */
export interface CollectionRow extends Readonly<Record<string, unknown>> {
  readonly collection: string;
  readonly singleton: boolean;
  readonly sort_field: string | null;
  readonly accountability: string | null;
}

/** A row of `system_fields`. */
export interface FieldRow extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly collection: string;
  readonly field: string;
  readonly special: string | null;
  readonly searchable: boolean;
  readonly required: boolean | null;
}

/** A row of `system_relations`. */
export interface RelationRow {
  readonly id: number;
  readonly many_collection: string;
  readonly many_field: string;
  readonly one_collection: string | null;
  readonly one_field: string | null;
  readonly one_collection_field: string | null;
  readonly one_allowed_collections: string | null;
  readonly junction_field: string | null;
  readonly sort_field: string | null;
  readonly one_deselect_action: string;
}

/** The result of one introspection, in an order that depends only on its content. */
export interface Introspection {
  /** By the position of their schema in DATABASE_SCHEMA, then by name. */
  readonly tables: readonly FoundTable[];
  /** The schemas that exist. */
  readonly schemas: ReadonlySet<string>;
  readonly collections: readonly CollectionRow[];
  readonly fields: readonly FieldRow[];
  readonly relations: readonly RelationRow[];
}

interface Part {
  readonly part: 'table' | 'schema' | 'collection' | 'field' | 'relation';
  readonly ordinal: string;
  readonly body: string;
}

/**
 * Describes the tables of `schemas` and reads the metadata of the schema `system`, in one round
 * trip. The client's search_path determines how types and expressions are qualified.
 * @param names of the tables and collections to describe; by default all
 */
export async function introspect(
  client: Client,
  schemas: readonly string[],
  system: string,
  names: readonly string[] | null = null,
): Promise<Introspection> {
  const ask = () => client.query<Part>(render(introspection(schemas, system, names)));
  const { rows } = readsWholeCatalogs(names) ? await withoutNestedLoops(client, ask) : await ask();
  const tables: { readonly ordinal: number; readonly table: FoundTable }[] = [];
  const existing = new Set<string>();
  const collections: CollectionRow[] = [];
  const fields: FieldRow[] = [];
  const relations: RelationRow[] = [];
  const slice = new TimeSlice();
  for (const { part, ordinal, body } of rows) {
    const value = JSON.parse(body);
    if (part === 'table') tables.push({ ordinal: Number(ordinal), table: value });
    else if (part === 'schema') existing.add(value.name);
    else if (part === 'collection') collections.push(value);
    else if (part === 'field') fields.push(value);
    else relations.push(value);
    await slice.rest();
  }
  tables.sort((a, b) => a.ordinal - b.ordinal || compareText(a.table.name, b.table.name));
  return {
    tables: tables.map(({ table }) => table),
    schemas: existing,
    collections: collections.sort((a, b) => compareText(a.collection, b.collection)),
    fields: fields.sort((a, b) => a.id - b.id),
    relations: relations.sort((a, b) => a.id - b.id),
  };
}
