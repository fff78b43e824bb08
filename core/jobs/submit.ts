/** Accepts jobs: first the row in `system_jobs`, then the queue. */
import assert from 'node:assert/strict';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { currentTraceparent } from '#core/base/tracing/span.ts';
import { isTransient } from '#core/database/failure.ts';
import type { Client, Connections, Pool } from '#core/database/pool.ts';
import { isStatementError, transaction, withConnection } from '#core/database/pool.ts';
import { simpleQuery } from '#core/database/simple-query.ts';
import { quotaLock, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import {
  earlierJob,
  isKept,
  type KeyedRequest,
  remembering,
  rememberKey,
  requestDigest,
  takeKey,
} from './idempotency-key.ts';
import { isOpen } from './job.ts';
import { enqueueInTurn } from './mailbox.ts';
import type { QueueName, TakingQueues } from './queue.ts';
import { claimJob, hasRoom, openJobs, type UncountedUpload } from './quota.ts';
import { storedJson } from './storable-json.ts';
import { nextTurn } from './turn.ts';

/** The uploaded file of a job, as lists show it. */
export interface JobFile {
  /** The client's name of the file. */
  readonly name: string;
  readonly bytes: number;
  readonly format: string;
  /** The parsing options that differ from its format. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
}

/** A job to be submitted. */
export interface Submission {
  readonly kind: string;
  readonly queue: QueueName;
  /** Ids, never content; small enough for a row. */
  readonly message: { readonly version: number };
  /** The mailbox: jobs with the same one run one at a time, in order; null for any order. */
  readonly mailbox: string | null;
  readonly collection: string | null;
  /** The identity of the storage with its files; absent without files. */
  readonly storage?: string;
  readonly user: string | null;
  /**
   * An open job of the same user, kind, collection and fingerprint is joined; null: never joined.
   */
  readonly fingerprint: string | null;
  /** The owner for quotas and turns; absent without one. */
  readonly holder?: string;
  /** The owner for the turns of a job that counts for no quota. */
  readonly turnsOf?: string;
  /** Its upload, if that is not counted yet. */
  readonly upload?: UncountedUpload | null;
  readonly file?: JobFile;
  /** A repeated request with this key returns the first job; requires a holder. */
  readonly idempotencyKey?: string | null;
  /** The id of the request that submits it; absent without one. */
  readonly requestId?: string | null;
  /**
   * The value that identifies equal requests with this key; by default the fingerprint or the
   * message.
   */
  readonly request?: unknown;
}

export interface Submitted {
  readonly id: string;
  /** True when an identical open job, or that of an earlier request, was joined. */
  readonly joined: boolean;
}

export interface SubmitOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly queues: TakingQueues;
  /** JOBS_MAX_PER_USER: maximum open jobs of one owner. */
  readonly maxPerHolder: number;
}

/**
 * The connection broke, so the job may have been recorded; the resources that it needs must remain.
 */
export class DoubtfulSubmission extends ServiceError {
  constructor(cause: unknown) {
    const { code, details, headers } = unavailable('database', reason('queue_connection_lost'));
    super(code, details, { cause, headers });
  }
}

/** The joined job can end between two checks; this many repetitions are unlikely. */
const JOIN_TRIES = 5;
/** Seconds after which a client may retry a request to a draining queue. */
const DRAINING_RETRY_S = 60;
const MOST_OF_NAME = 255;

/** A name that PostgreSQL can store and a terminal can display. */
function storedName(name: string): string {
  return name
    .replace(/\p{Cc}/gu, '\u{FFFD}')
    .slice(0, MOST_OF_NAME)
    .toWellFormed();
}

/**
 * Inserts the row of a new job. With `room`, only if that condition holds; `own` are then the open
 * jobs of its owner, if any.
 */
function insertion(schema: string, job: Submission, room?: Sql): Sql {
  const { file, queue } = job;
  const holder = job.holder ?? job.turnsOf ?? null;
  const last = room === undefined || holder === null ? undefined : sql`own.turn`;
  const dialect = file?.dialect ?? null;
  const values = sql`${job.kind}, ${job.queue}, ${job.mailbox}, ${storedJson(job.message)},
      ${job.message.version}, ${job.user}, ${job.collection}, ${job.fingerprint}, ${holder},
      (SELECT version FROM ${systemTable(schema, 'state')} WHERE name = 'catalog'),
      ${nextTurn(schema, queue, holder, last)}, ${file === undefined ? null : storedName(file.name)},
      ${file?.bytes ?? null}, ${file?.format ?? null},
      ${dialect === null ? null : storedJson(dialect)}, ${job.storage ?? null},
      ${job.requestId ?? null}, ${currentTraceparent()}`;
  return sql`
    INSERT INTO ${systemTable(schema, 'jobs')} (kind, queue, mailbox, message, message_version,
      "user", collection, fingerprint, holder, catalog, turn, file_name, file_size, file_format,
      dialect, storage, request_id, traceparent)
    ${
      holder === null
        ? sql`SELECT ${values} WHERE ${room ?? sql`true`}`
        : room === undefined
          ? sql`VALUES (${values})`
          : sql`SELECT ${values} FROM (${openJobs(schema, holder, queue)}) AS own WHERE ${room}`
    }
    ON CONFLICT DO NOTHING RETURNING id, turn::float8 AS turn, xmin::text AS version`;
}

/** A job that was just recorded. */
interface Recorded {
  readonly id: string;
  readonly turn: number;
  /**
   * The version of its row, which changes when another request joins the job or a worker begins it.
   */
  readonly version: string;
}

/**
 * Records a job without joining, in the transaction of the client. After the commit it must be
 * added to its queue; the reconciler does that if the process crashes.
 */
export async function recordJob(client: Client, schema: string, job: Submission): Promise<string> {
  const { rows } = await client.query<Recorded>(render(insertion(schema, job)));
  const [row] = rows;
  assert(row !== undefined, 'no open job has its fingerprint');
  return row.id;
}

function isDraining(schema: string, queue: QueueName): Sql {
  return sql`EXISTS (SELECT FROM ${systemTable(schema, 'queues')}
    WHERE name = ${queue} AND state = 'draining')`;
}

/** @throws ServiceError SERVICE_UNAVAILABLE when the queue is draining */
export async function requireAccepting(
  client: Client,
  schema: string,
  queue: QueueName,
): Promise<void> {
  const { rowCount } = await client.query(render(sql`SELECT WHERE ${isDraining(schema, queue)}`));
  if (rowCount === 0) return;
  throw unavailable('queue', reason('queue_paused', { queue }), { retryAfter: DRAINING_RETRY_S });
}

/** The identical open job. */
async function findIdentical(
  client: Client,
  schema: string,
  job: Submission,
): Promise<string | null> {
  if (job.fingerprint === null) return null;
  const { rows } = await client.query<{ id: string }>(
    render(sql`SELECT id FROM ${systemTable(schema, 'jobs')}
      WHERE ${isOpen} AND NOT cancel_requested AND kind = ${job.kind}
        AND coalesce("user", '00000000-0000-0000-0000-000000000000')
          = coalesce(${job.user}::uuid, '00000000-0000-0000-0000-000000000000')
        AND coalesce(collection, '') = coalesce(${job.collection}, '')
        AND fingerprint = ${job.fingerprint}`),
  );
  return rows[0]?.id ?? null;
}

/**
 * Joins an existing job, so that the request that recorded it does not remove it.
 * @returns false when it was already removed
 */
async function join(client: Client, schema: string, id: string): Promise<boolean> {
  const jobs = systemTable(schema, 'jobs');
  const isNew = sql`id = ${id} AND state = 'waiting' AND attempt = 0`;
  const { rowCount } = await client.query(
    render(sql`UPDATE ${jobs} SET fingerprint = fingerprint WHERE ${isNew}`),
  );
  if (rowCount === 1) return true;
  const { rows } = await client.query(render(sql`SELECT FROM ${jobs} WHERE id = ${id}`));
  return rows.length === 1;
}

type Outcome =
  | { readonly joined: string; readonly recorded?: never }
  | { readonly recorded: Recorded; readonly joined?: never };

/** Records a job within the quota of its owner, or finds an identical open one. */
async function recordOrJoin(
  client: Client,
  { schema, maxPerHolder }: SubmitOptions,
  job: Submission,
): Promise<Outcome> {
  const statement = render(insertion(schema, job));
  for (let tries = 0; tries < JOIN_TRIES; tries += 1) {
    // A joined job does not count, so the search for it precedes the quota check.
    const joined = await findIdentical(client, schema, job);
    if (joined !== null && (await join(client, schema, joined))) return { joined };
    if (tries === 0) {
      await requireAccepting(client, schema, job.queue);
      if (job.holder !== undefined) {
        const { holder, upload = null } = job;
        await claimJob(client, schema, { holder, max: maxPerHolder, upload });
      }
    }
    const [recorded] = (await client.query<Recorded>(statement)).rows;
    if (recorded !== undefined) return { recorded };
  }
  throw unavailable('queue', reason('identical_jobs_too_fast'));
}

/** The parts of a job that identify the request that submits it. */
export type RequestParts = Pick<
  Submission,
  'kind' | 'collection' | 'holder' | 'idempotencyKey' | 'request' | 'fingerprint'
> &
  Partial<Pick<Submission, 'message'>>;

function keyedRequest(job: RequestParts): KeyedRequest | null {
  const { holder, idempotencyKey: key = null } = job;
  if (key === null) return null;
  assert(holder !== undefined, 'a key belongs to somebody');
  const request = requestDigest(
    job.kind,
    job.collection,
    job.request ?? job.fingerprint ?? job.message,
  );
  return { holder, key, request };
}

/**
 * Records a job with one message, which is the usual case. For a job with an owner, its statements
 * form one transaction, and each sees earlier commits. So a process that disconnects leaves no
 * locks of the owner. Null when further steps are necessary.
 */
async function recordAtOnce(
  connections: Connections,
  { schema, maxPerHolder: max }: SubmitOptions,
  job: Submission,
  keyed: KeyedRequest | null,
): Promise<Recorded | null> {
  const { holder, upload = null } = job;
  const accepts = sql`NOT ${isDraining(schema, job.queue)}`;
  if (holder === undefined) {
    const { rows } = await withConnection(connections, (client) =>
      client.query<Recorded>(render(insertion(schema, job, accepts))),
    );
    return rows[0] ?? null;
  }
  const claim = { holder, max, upload };
  const room = sql`${hasRoom(schema, claim)} AND ${accepts}`;
  const statements =
    keyed === null
      ? [quotaLock(holder), insertion(schema, job, room)]
      : [
          takeKey(schema, keyed),
          quotaLock(holder),
          sql`WITH recorded AS (
              ${insertion(schema, job, sql`${room} AND NOT ${isKept(schema, keyed)}`)}
            ), remembered AS (
              ${remembering(schema, keyed, sql`SELECT id FROM recorded`)}
            ) SELECT id, turn, version FROM recorded`,
        ];
  const results = await withConnection(connections, (client) =>
    simpleQuery<Recorded>(client, statements),
  );
  return results.at(-1)?.rows[0] ?? null;
}

/**
 * The job of an earlier request that this one repeats; null without one.
 * @throws ServiceError UNPROCESSABLE_ENTITY for the key of another request
 */
export async function repeatedJob(
  { pool, schema }: Pick<SubmitOptions, 'pool' | 'schema'>,
  job: RequestParts,
): Promise<string | null> {
  const keyed = keyedRequest(job);
  return keyed === null ? null : await joinEarlier(pool, schema, keyed);
}

async function joinEarlier(
  client: Client,
  schema: string,
  keyed: KeyedRequest,
): Promise<string | null> {
  const earlier = await earlierJob(client, schema, keyed);
  return earlier !== null && (await join(client, schema, earlier)) ? earlier : null;
}

async function accept(
  connections: Connections,
  options: SubmitOptions,
  job: Submission,
): Promise<Outcome> {
  const { schema } = options;
  const keyed = keyedRequest(job);
  const recorded = await recordAtOnce(connections, options, job, keyed);
  if (recorded !== null) return { recorded };
  return await transaction(connections, async (client) => {
    if (keyed === null) return await recordOrJoin(client, options, job);
    await client.query(render(takeKey(schema, keyed)));
    const earlier = await joinEarlier(client, schema, keyed);
    if (earlier !== null) return { joined: earlier };
    const outcome = await recordOrJoin(client, options, job);
    await rememberKey(client, schema, keyed, outcome.joined ?? outcome.recorded.id);
    return outcome;
  });
}

/** @throws {DoubtfulSubmission} */
async function acceptOrDoubt(options: SubmitOptions, job: Submission): Promise<Outcome> {
  const { pool } = options;
  let isConnected = false;
  const connections: Connections = {
    async connect() {
      const client = await pool.connect();
      isConnected = true;
      return client;
    },
  };
  try {
    return await accept(connections, options, job);
  } catch (error) {
    // The response to the commit may have been lost.
    const isDoubtful = isConnected && isTransient(error) && !isStatementError(error);
    throw isDoubtful ? new DoubtfulSubmission(error) : error;
  }
}

/**
 * Removes a job that its queue refused, with its key, because the job was not accepted.
 * @returns false when another request has joined it, or a worker has begun it
 */
async function takeBack(pool: Pool, schema: string, { id, version }: Recorded): Promise<boolean> {
  const { rowCount } = await pool.query(
    render(sql`DELETE FROM ${systemTable(schema, 'jobs')}
      WHERE id = ${id} AND state = 'waiting' AND attempt = 0 AND xmin = ${version}::xid`),
  );
  return rowCount === 1;
}

/**
 * Records the job and adds it to its queue. If the process crashes in between, the reconciler adds
 * it. After an error the job does not exist, except after a {@link DoubtfulSubmission}.
 * @throws SERVICE_UNAVAILABLE within seconds when the queue cannot accept it; REQUESTS_EXCEEDED
 *   above the quota; UNPROCESSABLE_ENTITY for the key of another request
 */
export async function submit(options: SubmitOptions, job: Submission): Promise<Submitted> {
  const { pool, schema, queues } = options;
  const { joined, recorded } = await acceptOrDoubt(options, job);
  if (joined !== undefined) return { id: joined, joined: true };
  const { id, turn } = recorded;
  const { kind, queue, mailbox } = job;
  try {
    await enqueueInTurn(pool, schema, queues, { id, kind, queue, turn, mailbox });
  } catch (error) {
    // Its mailbox cannot be checked without the database; the reconciler adds it.
    if (isTransient(error)) return { id, joined: false };
    // The queue may have accepted it although its response was lost.
    if (!(error instanceof ServiceError)) throw new DoubtfulSubmission(error);
    const isTakenBack = await takeBack(pool, schema, recorded).catch((failure: unknown) => {
      throw new DoubtfulSubmission(failure);
    });
    if (isTakenBack) throw error;
    // Another client has received the confirmation that it is accepted; the reconciler adds it.
  }
  return { id, joined: false };
}
