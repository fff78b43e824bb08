/** A database of a test's own, and imports of short texts into it. */
import { Readable } from 'node:stream';
import pg from 'pg';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { ServiceErrors } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { importFile } from '#core/transfer/import.ts';
import type { ImportOptions, ImportResult } from '#core/transfer/run/import-options.ts';
import { NO_RULE } from '#core/write/write-context.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';

/** A client that is given stays open. */
type Options = Partial<Omit<ImportOptions, 'catalog' | 'collection' | 'file'>> & {
  readonly gzip?: boolean;
};

/** One entry of a report, as far as tests compare it. */
export interface Fault {
  readonly code: string;
  readonly row: unknown;
  readonly field: unknown;
  readonly value: unknown;
  readonly reason: unknown;
  readonly line?: unknown;
  readonly column?: unknown;
}

export interface Importing {
  /** Of the database. */
  readonly url: string;
  readonly pool: pg.Pool;
  /** Runs statements and returns the rows of the last one. */
  rows(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  catalog(): Promise<Catalog>;
  /** Imports a text, or pieces of one. */
  import(
    collection: string,
    content: string | Buffer | (() => AsyncIterable<Buffer>),
    format?: ImportFormat,
    options?: Options,
  ): Promise<ImportResult>;
  /** Imports a file that must be rejected, and returns the reason. */
  refused(
    collection: string,
    content: string | Buffer,
    format?: ImportFormat,
    options?: Options,
  ): Promise<Fault[]>;
}

/** Tables of tests live in a schema of their own, which each test begins afresh. */
const SCHEMA = 'app';

/** Generates bytes while they are read: a large file that is never in memory as a whole. */
const UNKNOWN_SIZE = 1e9;

/** One database serves all tests of a file. */
const opened = lazily(async () => {
  const url = await createSystemDatabase(t);
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    options: `-c search_path=${SCHEMA},public`,
  });
  pool.on('error', () => undefined);
  t.teardown(() => pool.end());
  return { url, pool };
});

function lazily<T>(open: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= open();
    return value;
  };
}

async function readCatalog(pool: pg.Pool): Promise<Catalog> {
  const client = await pool.connect();
  try {
    const found = await introspect(client, [SCHEMA], 'public');
    return await buildCatalog({ version: 1, ...buildDescriptors(found, [SCHEMA], 'public') });
  } finally {
    client.release();
  }
}

/** A caller with all permissions. */
export const ADMINISTRATOR: ImportOptions['sender'] = {
  caller: { ...ANONYMOUS, admin: true },
  rights: FULL_RIGHTS,
  bounds: queryBounds(loadConfig({})),
  hash: async (secret) => `hash of ${secret}`,
  ruleOf: () => NO_RULE,
  maxItems: undefined,
};

/** @param setup SQL that makes the tables of the test */
export async function importing(setup: string): Promise<Importing> {
  const { url, pool } = await opened();
  await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE; CREATE SCHEMA ${SCHEMA}`);
  await pool.query(setup);
  const catalog = () => readCatalog(pool);

  const bench: Importing = {
    url,
    pool,
    async rows(text, values = []) {
      const result = await pool.query<Record<string, unknown>>(text, [...values]);
      return result.rows;
    },
    catalog,
    async import(collection, content, format = 'csv', { gzip = false, ...options } = {}) {
      const open =
        typeof content === 'function' ? content : () => Readable.from([Buffer.from(content)]);
      const bytes = typeof content === 'function' ? UNKNOWN_SIZE : Buffer.byteLength(content);
      const client = await pool.connect();
      try {
        return await importFile({
          client,
          catalog: await catalog(),
          collection,
          file: { format, gzip, bytes, open },
          expansion: { bytes: 1e9, ratio: 200 },
          parameters: {},
          signal: new AbortController().signal,
          interrupt: async (backend) => {
            await pool.query('SELECT pg_cancel_backend($1)', [backend]);
          },
          analyze: async (script) => {
            await pool.query(script);
          },
          progress: () => undefined,
          failpoint: async () => undefined,
          errorLimit: 100,
          report: async () => undefined,
          phase: () => undefined,
          sender: ADMINISTRATOR,
          complete: async () => undefined,
          ...options,
        });
      } finally {
        client.release();
      }
    },
    async refused(collection, content, format = 'csv', options = {}) {
      try {
        await bench.import(collection, content, format, options);
      } catch (error) {
        if (!(error instanceof ServiceErrors)) throw error;
        return error.errors.map(({ code, details }) => ({
          code,
          row: details.row,
          field: details.field,
          value: details.value,
          reason: details.reason?.sentence,
          ...(details.line === undefined ? {} : { line: details.line, column: details.column }),
        }));
      }
      throw new Error('the file was not refused');
    },
  };
  return bench;
}
