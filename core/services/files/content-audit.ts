/**
 * Compares storages with the database: unreferenced bytes, and files whose bytes are missing. It
 * removes nothing; an operator decides.
 */

import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { raw, render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { FileStore } from './file-store.ts';

/** Suffixes of bytes that arrive in pieces. */
const PIECES = /\.(?:pieces|tail(?:-[0-9a-f]+)?)$/;
/** Younger bytes may not be recorded yet. */
const SETTLED_MS = 3_600_000;
const AT_ONCE = 10_000;
/** The maximum number of missing names to check again. */
const CHECKED = 1_000;
/** The maximum number of names per log line. */
const SHOWN = 10;

export interface ContentAuditOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly store: FileStore;
  readonly log: Log;
}

/** The totals of all storages. */
export interface ContentAudit {
  /** Unreferenced bytes. */
  readonly unknown: number;
  /** Files, and variants, whose bytes are missing. */
  readonly missing: number;
}

/** The unreferenced names. */
async function unknownAmong(
  { pool, schema }: ContentAuditOptions,
  storage: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const has = (table: string, column: string) => sql`NOT EXISTS (SELECT
    FROM ${systemTable(schema, table)} AS t
    WHERE t.storage = ${storage} AND t.${raw(column)} = n.name)`;
  const { rows } = await pool.query<{ name: string }>(
    render(sql`SELECT n.name FROM unnest(${names}::text[]) AS n(name)
      WHERE ${has('files', 'filename_disk')} AND ${has('file_variants', 'name')}
        AND ${has('unclaimed_content', 'name')} AND ${has('resumable_uploads', 'name')}`),
  );
  return rows.map(({ name }) => name);
}

/** Referenced names, in order after `last`. */
async function referredAfter(
  { pool, schema }: ContentAuditOptions,
  storage: string,
  last: string,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    render(sql`(SELECT filename_disk AS name FROM ${systemTable(schema, 'files')}
          WHERE storage = ${storage} AND filename_disk > ${last} ORDER BY 1 LIMIT ${AT_ONCE})
      UNION (SELECT name FROM ${systemTable(schema, 'file_variants')}
          WHERE storage = ${storage} AND name > ${last} ORDER BY 1 LIMIT ${AT_ONCE})
      ORDER BY 1 LIMIT ${AT_ONCE}`),
  );
  return rows.map(({ name }) => name);
}

async function auditStorage(
  options: ContentAuditOptions,
  storage: string,
  signal: AbortSignal,
): Promise<ContentAudit> {
  const { store, log } = options;
  const listed = await store.at(storage).list();
  const before = Date.now() - SETTLED_MS;
  const unknown: string[] = [];
  for (let from = 0; from < listed.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const some = listed.slice(from, from + AT_ONCE);
    const old = some.filter(({ modified }) => modified.getTime() < before);
    const names = old.map(({ id }) => id.replace(PIECES, ''));
    unknown.push(...(await unknownAmong(options, storage, names)));
  }
  const there = new Set(listed.map(({ id }) => id));
  const missing: string[] = [];
  for (let last: string | undefined = ''; last !== undefined; ) {
    signal.throwIfAborted();
    const names: readonly string[] = await referredAfter(options, storage, last);
    missing.push(...names.filter((name) => !there.has(name)));
    last = names.at(-1);
  }
  const gone = await stillMissing(options, storage, missing);
  if (unknown.length > 0) {
    const shown = unknown.slice(0, SHOWN);
    log.warn({ storage, count: unknown.length, names: shown }, 'stored content belongs to no file');
  }
  if (gone.length > 0) {
    const shown = gone.slice(0, SHOWN);
    log.error({ storage, count: gone.length, names: shown }, 'files have no stored content');
  }
  return { unknown: unknown.length, missing: gone.length };
}

/**
 * Rechecks the first of the missing names, and drops those that were stored or deleted meanwhile.
 */
async function stillMissing(
  options: ContentAuditOptions,
  storage: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const name of names.slice(0, CHECKED)) {
    if (!(await options.store.isThere({ storage, name }))) gone.push(name);
  }
  const deleted = new Set(await unknownAmong(options, storage, gone));
  return [...gone.filter((name) => !deleted.has(name)), ...names.slice(CHECKED)];
}

/**
 * Compares all storages, and logs the differences.
 * @throws ServiceError SERVICE_UNAVAILABLE when a storage is not available
 */
export async function auditContent(
  options: ContentAuditOptions,
  signal: AbortSignal,
): Promise<ContentAudit> {
  let [unknown, missing] = [0, 0];
  for (const storage of options.store.locations) {
    const found = await auditStorage(options, storage, signal);
    unknown += found.unknown;
    missing += found.missing;
  }
  return { unknown, missing };
}
