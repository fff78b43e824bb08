/**
 * The published catalog in the database. Reads load only changed entries. Writes need the lock on
 * its row in `system_state`.
 */

import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import type { CatalogSchemas } from './catalog.ts';
import { databaseStamp } from './database-stamp.ts';
import type { CollectionDescriptor, UnservedTable } from './descriptor.ts';
import { nameCondition } from './introspection-statement.ts';
import { revokeDropped } from './revoke-dropped.ts';
import type {
  ChangedCollection,
  CollectionOrigin,
  UnpublishedChanges,
} from './unpublished-changes.ts';

/**
 * The format of the descriptors; raised when a release adds to it or describes something
 * differently. A release publishes everything again that an earlier one published. It leaves a
 * later release's catalog alone while a process of that release lives.
 */
export const FORMAT = 2;

/** Entries per INSERT: enough to save round trips, few enough to be serialized quickly. */
const BATCH = 40;

/** The published state, and the current state of the database. */
export interface PublishedState {
  readonly version: number;
  readonly format: number;
  /** The last attempt to build a catalog failed. */
  readonly failed: boolean;
  /** Only processes of a later release may publish. */
  readonly later: boolean;
  /** A text that is the same only if nothing has changed. */
  readonly gauge: string;
  /** The gauge at a time when nothing was left to publish; null when there was none yet. */
  readonly settled: string | null;
}

interface PublishedStateRow extends Omit<PublishedState, 'version'> {
  readonly version: string;
}

/**
 * Reads the state of the published catalog and the gauge of the database, without reading either
 * completely.
 */
export async function readPublishedState(
  database: Pool | Client,
  catalogSchemas: CatalogSchemas,
): Promise<PublishedState> {
  const { system } = catalogSchemas;
  const { rows } = await database.query<PublishedStateRow>(
    render(sql`
      SELECT version, coalesce((value ->> 'format')::int, 0) AS format,
        value ->> 'error' IS NOT NULL AS failed,
        EXISTS (SELECT FROM ${systemTable(system, 'members')}
          WHERE form > ${FORMAT} AND expires > clock_timestamp()) AS later,
        ${databaseStamp(catalogSchemas)} AS gauge, value ->> 'settled' AS settled
      FROM ${systemTable(system, 'state')} WHERE name = 'catalog'`),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('system_state has no row named catalog');
  return { ...row, version: Number(row.version) };
}

/** Records the gauge, so that no process has to compare a database with the same gauge. */
export async function recordUpToDate(
  pool: Pool,
  system: string,
  { version, gauge: measured }: Pick<PublishedState, 'version' | 'gauge'>,
): Promise<void> {
  await pool.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET value = value || jsonb_build_object('settled', ${measured}::text)
      WHERE name = 'catalog' AND version = ${version}`),
  );
}

/** The state under the publication lock. */
export type LockedState = Pick<PublishedState, 'version' | 'format'>;

/** Locks publication for this transaction; waits for another that publishes. */
export async function lockPublication(client: Client, system: string): Promise<LockedState> {
  const { rows } = await client.query<{ version: string; format: number }>(
    render(sql`SELECT version, coalesce((value ->> 'format')::int, 0) AS format
      FROM ${systemTable(system, 'state')} WHERE name = 'catalog' FOR UPDATE`),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('system_state has no row named catalog');
  return { version: Number(row.version), format: row.format };
}

interface PublishedRow extends CollectionOrigin {
  readonly collection: string;
  readonly digest: string;
}

/** The origins of the published collections; of all, or of some names. */
export async function readPublished(
  client: Client,
  system: string,
  names: readonly string[] | null,
): Promise<ReadonlyMap<string, PublishedRow>> {
  const { rows } = await client.query<PublishedRow>(
    render(sql`SELECT collection, relation::text, stamp, estimate, metadata, digest
      FROM ${systemTable(system, 'catalog')}
      WHERE descriptor IS NOT NULL AND ${nameCondition(sql`collection`, names)}`),
  );
  return new Map(rows.map((row) => [row.collection, row]));
}

/** The tables that were left out at the last publication. */
export async function readUnservedTables(
  client: Client,
  system: string,
): Promise<readonly UnservedTable[]> {
  const { rows } = await client.query<{ value: readonly UnservedTable[] }>(
    render(sql`SELECT value FROM ${systemTable(system, 'state')} WHERE name = 'left out'`),
  );
  return rows[0]?.value ?? [];
}

/** Writes entries; when the description is unchanged, writes only its origin. */
async function writeEntries(
  client: Client,
  system: string,
  version: number,
  entries: readonly ChangedCollection[],
): Promise<void> {
  const table = systemTable(system, 'catalog');
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    const texts = (pick: (entry: ChangedCollection) => string | null) =>
      sql`${batch.map(pick)}::text[]`;
    await client.query(
      render(sql`
        INSERT INTO ${table} AS c
          (collection, version, digest, descriptor, relation, stamp, estimate, metadata)
        SELECT name, ${version}::bigint, digest, descriptor::json, relation::oid, stamp, estimate,
          metadata
        FROM unnest(${texts(({ name }) => name)}, ${texts(({ digest }) => digest)},
          ${texts(({ descriptor, same }) => (same ? null : descriptor))},
          ${texts(({ origin }) => origin.relation)}, ${texts(({ origin }) => origin.stamp)},
          ${texts(({ origin }) => origin.estimate)}, ${texts(({ origin }) => origin.metadata)})
          AS e (name, digest, descriptor, relation, stamp, estimate, metadata)
        ON CONFLICT (collection) DO UPDATE SET
          version = CASE WHEN excluded.descriptor IS NULL THEN c.version
            ELSE excluded.version END,
          digest = excluded.digest, descriptor = coalesce(excluded.descriptor, c.descriptor),
          relation = excluded.relation, stamp = excluded.stamp, estimate = excluded.estimate,
          metadata = excluded.metadata`),
    );
  }
}

async function writeGone(
  client: Client,
  system: string,
  version: number,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await client.query(
    render(sql`UPDATE ${systemTable(system, 'catalog')}
      SET version = ${version}::bigint, digest = NULL, descriptor = NULL, relation = NULL,
        stamp = NULL, estimate = NULL, metadata = NULL
      WHERE collection = ANY (${names}::text[])`),
  );
}

async function replaceLeftOut(
  client: Client,
  system: string,
  leftOut: readonly UnservedTable[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET value = ${JSON.stringify(leftOut)}::jsonb, version = version + 1
      WHERE name = 'left out' AND value IS DISTINCT FROM ${JSON.stringify(leftOut)}::jsonb`),
  );
  return rowCount === 1;
}

/**
 * Writes changes under the lock of {@link lockPublication}, and revokes permissions on dropped
 * objects.
 * @param format of everything that is published afterwards
 * @returns the current version; unchanged when nothing changed
 */
export async function publish(
  client: Client,
  system: string,
  { version: before, format }: LockedState,
  { entries, gone, leftOut }: UnpublishedChanges,
): Promise<number> {
  const fresh = entries.filter(({ same }) => !same);
  const leftOutChanged = await replaceLeftOut(client, system, leftOut);
  const changed = fresh.length + gone.length > 0 || leftOutChanged || before === 0;
  const version = before + (changed ? 1 : 0);
  await revokeDropped(client, system, fresh, gone);
  await writeEntries(client, system, version, entries);
  await writeGone(client, system, version, gone);
  await client.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET version = ${version}, value = ${JSON.stringify({ format })}::jsonb
      WHERE name = 'catalog'`),
  );
  return version;
}

/** Records that the catalog could not be built, until the next publication. */
export async function publishFailure(pool: Pool, system: string, message: string): Promise<void> {
  await pool.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET value = coalesce(value, '{}') || jsonb_build_object('error', ${message}::text)
      WHERE name = 'catalog' AND value ->> 'error' IS DISTINCT FROM ${message}::text`),
  );
}

/** The changes that were published after a version. */
export interface PublishedChanges {
  readonly version: number;
  readonly leftOut: readonly UnservedTable[];
  /** By name; null for a dropped collection. */
  readonly collections: ReadonlyMap<string, CollectionDescriptor | null>;
}

interface ChangeRow {
  readonly collection: string | null;
  readonly version: string;
  readonly body: string | null;
}

/** Reads the changes that were published after `since`, in one snapshot. */
export async function readChanges(
  pool: Pool,
  system: string,
  since: number,
): Promise<PublishedChanges> {
  const state = systemTable(system, 'state');
  const { rows } = await pool.query<ChangeRow>(
    render(sql`
      SELECT NULL AS collection, s.version, l.value::text AS body
      FROM ${state} s, ${state} l WHERE s.name = 'catalog' AND l.name = 'left out'
      UNION ALL
      SELECT collection, version, descriptor::text FROM ${systemTable(system, 'catalog')}
      WHERE version > ${since}`),
  );
  let version = 0;
  let leftOut: readonly UnservedTable[] = [];
  const collections = new Map<string, CollectionDescriptor | null>();
  const slice = new TimeSlice();
  for (const row of rows) {
    const body = row.body === null ? null : JSON.parse(row.body);
    if (row.collection !== null) collections.set(row.collection, body);
    else {
      version = Number(row.version);
      leftOut = body;
    }
    await slice.rest();
  }
  return { version, leftOut, collections };
}
