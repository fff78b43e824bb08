/**
 * The keys with which clients repeat a request (`Idempotency-Key`): for a day, the same request by
 * the same user under the same key belongs to the first job, also when that has ended.
 */
import { createHash } from 'node:crypto';
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/system-table.ts';

const KEPT_HOURS = 24;

/** A key with what the request asks for. */
export interface KeyedRequest {
  /** Whose key it is. */
  readonly holder: string;
  readonly key: string;
  /** Digest of everything that the request decides. */
  readonly request: string;
}

/** The digest of what a request asks for. */
export function requestDigest(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * The job of an earlier request with this key; null for the first one. Requests with one key take
 * turns until the end of the transaction.
 * @throws ServiceError UNPROCESSABLE_ENTITY when the earlier request was another
 */
export async function earlierJob(
  client: Client,
  schema: string,
  { holder, key, request }: KeyedRequest,
): Promise<string | null> {
  const lock = `sluice idempotency ${schema} ${holder} ${key}`;
  await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
  const { rows } = await client.query<{ job: string; request: string }>(
    render(sql`SELECT job, request FROM ${systemTable(schema, 'idempotency_keys')}
      WHERE holder = ${holder} AND key = ${key}
        AND created_on > now() - make_interval(hours => ${KEPT_HOURS})`),
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (row.request === request) return row.job;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    header: 'Idempotency-Key',
    key,
    reason: `The key "${key}" belongs to another request.`,
  });
}

/** Remembers the job of a key, in the transaction that records the job. */
export async function rememberKey(
  client: Client,
  schema: string,
  { holder, key, request }: KeyedRequest,
  job: string,
): Promise<void> {
  await client.query(
    render(sql`INSERT INTO ${systemTable(schema, 'idempotency_keys')} (holder, key, request, job)
      VALUES (${holder}, ${key}, ${request}, ${job})
      ON CONFLICT (holder, key) DO UPDATE
      SET request = excluded.request, job = excluded.job, created_on = now()`),
  );
}

/** Forgets the keys of a job that was not accepted after all. */
export async function forgetKeys(
  client: Pick<Client, 'query'>,
  schema: string,
  job: string,
): Promise<void> {
  await client.query(
    render(sql`DELETE FROM ${systemTable(schema, 'idempotency_keys')} WHERE job = ${job}`),
  );
}

/** Removes keys that are too old to count. */
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
