/**
 * Creates the collection of an import whose file says what it has: a schema job of its own, before the
 * import begins. It stays when rows of the file fail.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ANONYMOUS } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { type ErrorEntry, forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { wakeNext } from '#core/jobs/mailbox.ts';
import type { ImportMessage } from '#core/jobs/message/import.ts';
import type { QueueSwitch } from '#core/jobs/queue-state.ts';
import { recordJob, requireAccepting } from '#core/jobs/submit.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { schemaSubmission } from '#core/schema/schema-job.ts';
import { openFile, type StoredFile } from '#core/transfer/file/import-file.ts';
import { importErrors, UnreadableFile } from '#core/transfer/file/row-fault.ts';
import {
  type Inference,
  type InferredField,
  inferFields,
} from '#core/transfer/infer/infer-fields.ts';
import type { ImportResult, ImportSender } from '#core/transfer/run/import-options.ts';
import type { ActorContext } from '#workers/runtime/actor.ts';

/** The pauses (ms) between looks at the schema job: the first one, and the longest. */
const LOOK_MS = 50;
const LOOK_MAX_MS = 1_000;

/** How the schema job was found or made. */
export interface Created {
  /** Its id. */
  readonly job: string;
  readonly fields: readonly InferredField[];
}

interface SchemaJobRow {
  readonly id: string;
  readonly queue: string;
  readonly queue_state: QueueSwitch;
  readonly state: string;
  readonly error: readonly ErrorEntry[] | null;
  /** The fields that were inferred, as {@link submissionOf} wrote them. */
  readonly fields: readonly {
    readonly field: string;
    readonly type: InferredField['type'];
    readonly schema: { readonly is_primary_key?: boolean };
  }[];
}

/** The schema job of an import is found by this. */
function fingerprintOf(importJob: string): string {
  return `import ${importJob}`;
}

/** The latest schema job of this import; null when there is none. */
async function schemaJobOf(
  { collection }: ImportMessage,
  { services, job }: ActorContext,
): Promise<SchemaJobRow | null> {
  const { pool, schema } = services;
  const { rows } = await pool.query<SchemaJobRow>(
    render(sql`SELECT id, queue, state, error,
        coalesce((SELECT q.state FROM ${systemTable(schema, 'queues')} AS q
          WHERE q.name = queue), 'running') AS queue_state,
        message #> '{change,collections,0,fields}' AS fields
      FROM ${systemTable(schema, 'jobs')}
      WHERE collection = ${collection} AND fingerprint = ${fingerprintOf(job.id)}
      ORDER BY sequence DESC LIMIT 1`),
  );
  return rows[0] ?? null;
}

/**
 * Waits until the schema job has ended, and with it every edge has applied the change. The import tells
 * meanwhile what it waits for.
 */
async function ended(message: ImportMessage, context: ActorContext): Promise<SchemaJobRow | null> {
  const { signal, services } = context;
  for (let pause = LOOK_MS; ; pause = Math.min(LOOK_MAX_MS, pause * 2)) {
    const found = await schemaJobOf(message, context);
    if (found === null || (found.state !== 'waiting' && found.state !== 'running')) return found;
    const { id, queue, queue_state, state } = found;
    const waits_for = { job: id, state, queue, queue_state };
    context.progress({ rows: 0, bytes: 0, percent: null, waits_for });
    try {
      await delay(pause, undefined, { signal });
    } catch {
      const isCancelled = await isCancelling(context);
      if (isCancelled) {
        const system = { ...ANONYMOUS, admin: true };
        // It may be done already; then the collection stays.
        await services.jobs.cancel(found.id, system).catch(() => undefined);
      }
      signal.throwIfAborted();
    }
  }
}

/** Whether the import is interrupted because it is cancelled, not to be done by another worker. */
async function isCancelling({ services, job }: ActorContext): Promise<boolean> {
  const { pool, schema } = services;
  const { rowCount } = await pool.query(
    render(
      sql`SELECT FROM ${systemTable(schema, 'jobs')} WHERE id = ${job.id} AND cancel_requested`,
    ),
  );
  return rowCount !== 0;
}

function submissionOf(collection: string, { fields }: Inference, { job }: ActorContext) {
  const change: SchemaChange = {
    kind: 'collections.create',
    collections: [
      {
        collection,
        schema: {},
        meta: {},
        fields: fields.map(({ field, type, primary_key = false }) => {
          const isNumbered = primary_key && (type === 'integer' || type === 'bigInteger');
          const schema = {
            ...(primary_key ? { is_primary_key: true } : {}),
            ...(isNumbered ? { has_auto_increment: true } : {}),
            ...(type === 'decimal' ? { data_type: 'numeric' } : {}),
          };
          const meta = primary_key && type === 'uuid' ? { special: 'uuid' } : {};
          return { field, type, schema, meta };
        }),
      },
    ],
  };
  const submission = schemaSubmission(change, { concurrently: false, force: false }, job);
  return { ...submission, fingerprint: fingerprintOf(job.id), requestId: job.requestId };
}

/**
 * Submits the schema job on the session of the import. A worker whose import was taken over has lost
 * that session, so that it submits none.
 */
async function submitCreation(
  collection: string,
  inference: Inference,
  context: ActorContext,
): Promise<void> {
  const { pool, schema, queues } = context.services;
  const client = await context.connect();
  const submission = submissionOf(collection, inference, context);
  await requireAccepting(client, schema, submission.queue);
  const job = await recordJob(client, schema, submission);
  try {
    await wakeNext(pool, schema, queues, submission.mailbox);
  } catch (error) {
    context.log.warn({ err: error, job }, 'a schema job is queued by the reconciler');
  }
}

/** What the file contains. @throws ServiceErrors when it cannot be read, or no table can have it */
async function infer(
  message: ImportMessage,
  file: StoredFile,
  context: ActorContext,
): Promise<Inference> {
  const { config } = context.services;
  const { parameters = {} } = message;
  const expansion = { bytes: config.IMPORT_MAX_EXPANDED_SIZE, ratio: config.IMPORT_MAX_EXPANSION };
  try {
    const opened = await openFile(file, parameters, expansion);
    const { signal } = context;
    return await inferFields(opened, { signal, faultsMax: config.MAX_IMPORT_ERRORS });
  } catch (error) {
    if (error instanceof UnreadableFile) throw importErrors(named(message), error.faults);
    throw error;
  }
}

/** A collection that does not exist yet, as reports name it. */
function named({ collection }: ImportMessage) {
  return { collection: { name: collection, fields: new Map() } };
}

/** What an import of the file would do, as far as the file tells. */
function trial(
  message: ImportMessage,
  { fields, rows, skipped, failed, faults }: Inference,
): ImportResult & { readonly fields: readonly InferredField[] } {
  const [first, ...rest] = faults;
  if (first !== undefined && message.parameters?.onError !== 'skip') {
    throw importErrors(named(message), [first, ...rest]);
  }
  const counts = { inserted: rows, updated: 0, unchanged: 0, duplicates: 0, skipped, failed };
  return { ...counts, dry_run: true, fields };
}

/** What an import may need that creates its collection. */
export interface CreationOptions {
  readonly message: ImportMessage;
  readonly file: StoredFile;
  readonly sender: ImportSender;
}

export type Creation =
  | { readonly created: Created | null; readonly trial?: never }
  /** A dry run creates nothing, and this is its result. */
  | { readonly trial: ImportResult; readonly created?: never };

/**
 * Creates the collection unless it exists. After a crash, or on a retry, the schema job of the earlier
 * attempt is found, and none is made twice.
 * @throws ServiceError FORBIDDEN for all but administrators; what the schema job failed with
 */
export async function createCollection(
  { message, file, sender }: CreationOptions,
  context: ActorContext,
): Promise<Creation> {
  const { catalog } = context.services;
  const { collection } = message;
  const isThere = async () => (await catalog.refresh()).collections.has(collection);
  const earlier = await ended(message, context);
  if (await isThere()) return { created: createdBy(earlier) };
  if (!sender.rights.admin) throw forbidden();
  const inference = await infer(message, file, context);
  if (message.parameters?.dryRun === true) return { trial: trial(message, inference) };
  await context.failpoint('import.inferred');
  await submitCreation(collection, inference, context);
  await context.failpoint('import.creating');
  const done = await ended(message, context);
  if (done?.state === 'completed' || (await isThere())) {
    return { created: createdBy(done) };
  }
  const told = done?.error?.[0]?.message ?? `The schema job was ${done?.state ?? 'removed'}.`;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    ...{ collection, schema_job: done?.id ?? null },
    reason: reason('collection_not_created', { reason: told }),
  });
}

function createdBy(job: SchemaJobRow | null): Created | null {
  if (job?.state !== 'completed') return null;
  const fields = job.fields.map(({ field, type, schema }): InferredField => {
    return { field, type, ...(schema.is_primary_key === true ? { primary_key: true } : {}) };
  });
  return { job: job.id, fields };
}
