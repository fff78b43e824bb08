/**
 * The published catalog in the database: read in proportion to what changed, written by whoever
 * holds the lock on its row in `system_state`.
 */
import { createHash } from 'node:crypto';
import type { Client, Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import type { Composition } from './compose.ts';
import type { CollectionDescriptor, LeftOut } from './descriptor.ts';
import { fingerprint } from './fingerprint.ts';
import { createPace } from './pace.ts';
import { revokeVanished } from './revoke.ts';

/**
 * The form of the descriptors; raised when a release adds to it. A release takes over what an
 * earlier one published by publishing again, and leaves alone what a later one did.
 */
export const FORMAT = 1;

/** Entries of one INSERT: enough to save round trips, few enough to be quickly put into text. */
const BATCH = 40;

/** Where the tables are: the served schemas in their order, and the one of the system tables. */
export interface Place {
  readonly schemas: readonly string[];
  readonly system: string;
}

/** What is published, beside what the database looks like right now. */
export interface Standing {
  readonly version: number;
  /** The database as it is now. */
  readonly fingerprint: string;
  /** The published catalog does not describe it, or the last attempt to build one failed. */
  readonly due: boolean;
}

interface StandingRow {
  readonly version: string;
  readonly format: number;
  readonly published: string | null;
  readonly failed: boolean;
  readonly fingerprint: string;
}

/** Compares the published catalog with the database, without reading either. */
export async function readStanding(
  database: Pool | Client,
  { schemas, system }: Place,
): Promise<Standing> {
  const { rows } = await database.query<StandingRow>(
    render(sql`
      SELECT version, coalesce((value ->> 'format')::int, 0) AS format,
        value ->> 'fingerprint' AS published, value ->> 'error' IS NOT NULL AS failed,
        concat_ws(' ', ${JSON.stringify(schemas)}::text, ${fingerprint(schemas)},
          (SELECT version FROM ${systemTable(system, 'state')} WHERE name = 'metadata')
        ) AS fingerprint
      FROM ${systemTable(system, 'state')} WHERE name = 'catalog'`),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('system_state has no row named catalog');
  return {
    version: Number(row.version),
    fingerprint: row.fingerprint,
    due: row.format < FORMAT || row.published !== row.fingerprint || row.failed,
  };
}

/** Makes this transaction the only one that builds; waits for another that does. */
export async function lockForBuilding(client: Client, system: string): Promise<void> {
  await client.query(
    render(sql`SELECT FROM ${systemTable(system, 'state')} WHERE name = 'catalog' FOR UPDATE`),
  );
}

interface Entry {
  readonly name: string;
  readonly digest: string | null;
  readonly descriptor: string | null;
}

/** The entries that differ from the published ones; what is gone has no descriptor. */
async function changedEntries(
  client: Client,
  system: string,
  collections: readonly CollectionDescriptor[],
): Promise<readonly Entry[]> {
  const { rows } = await client.query<{ collection: string; digest: string }>(
    render(sql`SELECT collection, digest FROM ${systemTable(system, 'catalog')}
      WHERE descriptor IS NOT NULL`),
  );
  const published = new Map(rows.map(({ collection, digest }) => [collection, digest]));
  const changed: Entry[] = [];
  const pace = createPace();
  for (const collection of collections) {
    const descriptor = JSON.stringify(collection);
    const digest = createHash('sha256').update(descriptor).digest('base64');
    const { name } = collection;
    if (published.get(name) !== digest) changed.push({ name, digest, descriptor });
    published.delete(name);
    await pace();
  }
  for (const name of published.keys()) changed.push({ name, digest: null, descriptor: null });
  return changed;
}

async function writeEntries(
  client: Client,
  system: string,
  version: number,
  entries: readonly Entry[],
): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    await client.query(
      render(sql`
        INSERT INTO ${systemTable(system, 'catalog')} AS c (collection, version, digest, descriptor)
        SELECT name, ${version}::bigint, digest, descriptor::json
        FROM unnest(${batch.map(({ name }) => name)}::text[],
          ${batch.map(({ digest }) => digest)}::text[],
          ${batch.map(({ descriptor }) => descriptor)}::text[]) AS e (name, digest, descriptor)
        ON CONFLICT (collection) DO UPDATE SET version = excluded.version,
          digest = excluded.digest, descriptor = excluded.descriptor`),
    );
  }
}

async function replaceLeftOut(
  client: Client,
  system: string,
  leftOut: readonly LeftOut[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET value = ${JSON.stringify(leftOut)}::jsonb, version = version + 1
      WHERE name = 'left out' AND value IS DISTINCT FROM ${JSON.stringify(leftOut)}::jsonb`),
  );
  return rowCount === 1;
}

/**
 * Writes what changed, under the lock of {@link lockForBuilding}, and takes away the rights of
 * what is gone.
 * @param standing as it was found under the lock, before introspection
 * @returns the version that counts afterwards; the same as before when nothing changed
 */
export async function publish(
  client: Client,
  system: string,
  standing: Standing,
  { collections, leftOut }: Composition,
): Promise<number> {
  const entries = await changedEntries(client, system, collections);
  const leftOutChanged = await replaceLeftOut(client, system, leftOut);
  const changed = entries.length > 0 || leftOutChanged || standing.version === 0;
  const version = standing.version + (changed ? 1 : 0);
  const names = entries.map(({ name }) => name);
  await revokeVanished(client, system, names, collections);
  await writeEntries(client, system, version, entries);
  const value = JSON.stringify({ format: FORMAT, fingerprint: standing.fingerprint });
  await client.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET version = ${version}, value = ${value}::jsonb WHERE name = 'catalog'`),
  );
  return version;
}

/** Lets every process know that the catalog could not be built, until it is published again. */
export async function publishFailure(pool: Pool, system: string, message: string): Promise<void> {
  await pool.query(
    render(sql`UPDATE ${systemTable(system, 'state')}
      SET value = coalesce(value, '{}') || jsonb_build_object('error', ${message}::text)
      WHERE name = 'catalog' AND value ->> 'error' IS DISTINCT FROM ${message}::text`),
  );
}

/** What was published after some version. */
export interface Changes {
  readonly version: number;
  readonly leftOut: readonly LeftOut[];
  /** By name; null for a collection that is gone. */
  readonly collections: ReadonlyMap<string, CollectionDescriptor | null>;
}

interface ChangeRow {
  readonly collection: string | null;
  readonly version: string;
  readonly body: string | null;
}

/** Reads what was published after `since`, all of one moment. */
export async function readChanges(pool: Pool, system: string, since: number): Promise<Changes> {
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
  let leftOut: readonly LeftOut[] = [];
  const collections = new Map<string, CollectionDescriptor | null>();
  const pace = createPace();
  for (const row of rows) {
    const body = row.body === null ? null : JSON.parse(row.body);
    if (row.collection !== null) collections.set(row.collection, body);
    else {
      version = Number(row.version);
      leftOut = body;
    }
    await pace();
  }
  return { version, leftOut, collections };
}
