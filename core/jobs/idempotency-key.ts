/**
 * The keys with which clients repeat a request (`Idempotency-Key`). For a day, the same request by
 * the same user with the same key returns the first job, even when it has ended.
 */
import { createHash } from 'node:crypto';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

const KEPT_HOURS = 24;

/** A key with a digest of its request. */
export interface KeyedRequest {
  /** The owner of the key. */
  readonly holder: string;
  readonly key: string;
  /** Digest of all request parameters. */
  readonly request: string;
}

/** The digest of a request's parameters. */
export function requestDigest(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Serializes requests with the same key until the end of the transaction. */
export function takeKey(schema: string, { holder, key }: KeyedRequest): Sql {
  const lock = `sluice idempotency ${schema} ${holder} ${key}`;
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`;
}

/** The row of an earlier request with this key, if it exists. */
function keptRows(schema: string, { holder, key }: KeyedRequest): Sql {
  return sql`FROM ${systemTable(schema, 'idempotency_keys')}
    WHERE holder = ${holder} AND key = ${key}
      AND created_on > now() - make_interval(hours => ${KEPT_HOURS})`;
}

/** The condition that an earlier request with this key exists. */
export function isKept(schema: string, request: KeyedRequest): Sql {
  return sql`EXISTS (SELECT ${keptRows(schema, request)})`;
}

/**
 * The statement that records the key for the job, which is the only row of `jobs`, if it exists.
 */
export function remembering(
  schema: string,
  { holder, key, request }: KeyedRequest,
  jobs: Sql,
): Sql {
  return sql`INSERT INTO ${systemTable(schema, 'idempotency_keys')} (holder, key, request, job)
    SELECT ${holder}, ${key}, ${request}, jobs.id FROM (${jobs}) AS jobs
    ON CONFLICT (holder, key) DO UPDATE
    SET request = excluded.request, job = excluded.job, created_on = now()`;
}

/**
 * The job of an earlier request with this key; null for the first one.
 * @throws ServiceError UNPROCESSABLE_ENTITY when the earlier request was different
 */
export async function earlierJob(
  client: Pick<Client, 'query'>,
  schema: string,
  keyed: KeyedRequest,
): Promise<string | null> {
  const { key } = keyed;
  const { rows } = await client.query<{ job: string; request: string }>(
    render(sql`SELECT job, request ${keptRows(schema, keyed)}`),
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (row.request === keyed.request) return row.job;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    header: 'Idempotency-Key',
    key,
    reason: reason('idempotency_key_taken', { key }),
  });
}

/** Records the job of a key, in the transaction that records the job. */
export async function rememberKey(
  client: Client,
  schema: string,
  keyed: KeyedRequest,
  job: string,
): Promise<void> {
  await client.query(render(remembering(schema, keyed, sql`SELECT ${job}::uuid AS id`)));
}

/** Removes expired keys. */
export async function removeOldKeys(
  client: Pick<Client, 'query'>,
  schema: string,
): Promise<number> {
  const { rowCount } = await client.query(
    render(sql`DELETE FROM ${systemTable(schema, 'idempotency_keys')}
      WHERE created_on <= now() - make_interval(hours => ${KEPT_HOURS})`),
  );
  return rowCount ?? 0;
}
