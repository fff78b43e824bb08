/**
 * Revokes permissions on dropped tables and columns, so that they do not apply to later ones of the
 * same name. Permissions on names that never existed stay.
 */

import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import type { CollectionDescriptor } from './descriptor.ts';
import { withoutFields } from './revoke-fields.ts';

/** A field of the published collection. */
interface Gone {
  readonly collection: string;
  readonly field: string;
  readonly schema: string;
  readonly table: string;
}

function fieldNames({ table, fields }: CollectionDescriptor): Set<string> {
  const columns = table?.columns.map(({ name }) => name) ?? [];
  return new Set([...columns, ...fields.map(({ field }) => field)]);
}

/** The fields that no longer exist; metadata of a column does not count as the column. */
function missing(before: CollectionDescriptor, now: CollectionDescriptor): Gone[] {
  const place = { schema: before.table?.schema ?? '', table: before.table?.name ?? '' };
  const had = new Set(before.table?.columns.map(({ name }) => name));
  const has = new Set(now.table?.columns.map(({ name }) => name));
  const named = fieldNames(now);
  return [...fieldNames(before)]
    .filter((field) => (had.has(field) ? !has.has(field) : !named.has(field)))
    .map((field) => ({ collection: now.name, field, ...place }));
}

/** Columns that still exist were only hidden from our role, and their permissions stay. */
async function revokeFields(client: Client, system: string, gone: readonly Gone[]): Promise<void> {
  if (gone.length === 0) return;
  const dropped = sql`
    SELECT collection, field
    FROM unnest(${gone.map(({ collection }) => collection)}::text[],
      ${gone.map(({ field }) => field)}::text[], ${gone.map(({ schema }) => schema)}::text[],
      ${gone.map(({ table }) => table)}::text[]) AS g (collection, field, nspname, relname)
    WHERE NOT EXISTS (
      SELECT FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = g.nspname AND c.relname = g.relname AND a.attname = g.field
        AND NOT a.attisdropped)`;
  await client.query(render(withoutFields(system, dropped)));
}

async function revokeCollections(
  client: Client,
  system: string,
  gone: readonly CollectionDescriptor[],
): Promise<void> {
  if (gone.length === 0) return;
  await client.query(
    render(sql`
      DELETE FROM ${systemTable(system, 'permissions')} WHERE collection IN (
        SELECT collection FROM unnest(${gone.map(({ name }) => name)}::text[],
          ${gone.map(({ table }) => table?.schema ?? '')}::text[],
          ${gone.map(({ table }) => table?.name ?? '')}::text[]) AS g (collection, nspname, relname)
        WHERE NOT EXISTS (
          SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
          WHERE n.nspname = g.nspname AND c.relname = g.relname))`),
  );
}

/** A collection that is about to be published. */
interface Described {
  readonly name: string;
  /** As JSON. */
  readonly descriptor: string;
}

/**
 * Compares collections with their published versions and revokes the permissions on dropped
 * objects. A table that still exists but is no longer served keeps its permissions.
 * @param changed collections with another description than before
 * @param gone names of published collections that no longer exist
 */
export async function revokeDropped(
  client: Client,
  system: string,
  changed: readonly Described[],
  gone: readonly string[],
): Promise<void> {
  const names = [...gone, ...changed.map(({ name }) => name)];
  if (names.length === 0) return;
  const { rows } = await client.query<{ descriptor: CollectionDescriptor }>(
    render(sql`SELECT descriptor FROM ${systemTable(system, 'catalog')}
      WHERE descriptor IS NOT NULL AND collection = ANY(${names}::text[])`),
  );
  const current = new Map(changed.map(({ name, descriptor }) => [name, descriptor]));
  const vanished: CollectionDescriptor[] = [];
  const fields: Gone[] = [];
  const slice = new TimeSlice();
  for (const { descriptor } of rows) {
    const now = current.get(descriptor.name);
    if (now === undefined) vanished.push(descriptor);
    else fields.push(...missing(descriptor, JSON.parse(now)));
    await slice.rest();
  }
  await revokeCollections(client, system, vanished);
  await revokeFields(client, system, fields);
}
