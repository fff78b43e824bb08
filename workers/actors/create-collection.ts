/**
 * Creates the collection of an import from the contents of its file. A separate schema job creates
 * it before the import begins. The collection remains when rows of the file fail.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ANONYMOUS } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import {
  type ErrorEntry,
  forbidden,
  invalidPayload,
  ServiceError,
} from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { wakeNext } from '#core/jobs/mailbox.ts';
import type { ImportMessage } from '#core/jobs/message/import.ts';
import { type ImportParameters, NEW_FIELD_TYPES } from '#core/jobs/message/import-parameters.ts';
import type { QueueSwitch } from '#core/jobs/queue-state.ts';
import { recordJob, requireAccepting } from '#core/jobs/submit.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { referencedSide } from '#core/schema/operation/relation-end.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { schemaSubmission } from '#core/schema/schema-job.ts';
import {
  closeFile,
  type ImportFile,
  openFile,
  type StoredFile,
} from '#core/transfer/file/import-file.ts';
import { importErrors, UnreadableFile } from '#core/transfer/file/row-fault.ts';
import { withAgreedSeparator } from '#core/transfer/file/separator.ts';
import {
  formatsOf,
  type Inference,
  type InferredField,
  inferFields,
} from '#core/transfer/infer/infer-fields.ts';
import type { ImportResult, ImportSender } from '#core/transfer/run/import-options.ts';
import type { ActorContext } from '#workers/runtime/actor.ts';

/** The polling intervals (ms) for the schema job: the first one, and the longest. */
const LOOK_MS = 50;
const LOOK_MAX_MS = 1_000;

/** The schema job that an import found or submitted. */
export interface Created {
  /** The id of the schema job. */
  readonly job: string;
  readonly fields: readonly InferredField[];
  /** The notations of columns, which the import needs. */
  readonly formats?: ImportParameters['formats'];
}

interface SchemaJobRow {
  readonly id: string;
  readonly queue: string;
  readonly queue_state: QueueSwitch;
  readonly state: string;
  readonly error: readonly ErrorEntry[] | null;
  /** The inferred fields, as {@link submissionOf} wrote them. */
  readonly fields: readonly {
    readonly field: string;
    readonly type: InferredField['type'];
    readonly schema: { readonly is_primary_key?: boolean };
  }[];
}

/** Identifies the schema job of an import. */
function fingerprintOf(importJob: string): string {
  return `import ${importJob}`;
}

/** The latest schema job of this import; null without one. */
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
 * Waits until the schema job has ended, and with it every edge has applied the change. In the
 * meantime the import reports why it waits.
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
        // The job may already have completed; then the collection remains.
        await services.jobs.cancel(found.id, system).catch(() => undefined);
      }
      signal.throwIfAborted();
    }
  }
}

/**
 * Whether the import is interrupted because it is cancelled, and not to continue on another worker.
 */
async function isCancelling({ services, job }: ActorContext): Promise<boolean> {
  const { pool, schema } = services;
  const { rowCount } = await pool.query(
    render(
      sql`SELECT FROM ${systemTable(schema, 'jobs')} WHERE id = ${job.id} AND cancel_requested`,
    ),
  );
  return rowCount !== 0;
}

function submissionOf(
  { collection, parameters }: ImportMessage,
  { fields }: Inference,
  { job }: ActorContext,
) {
  const { name, relations = {} } = parameters ?? {};
  const references = Object.entries(relations).map(([field, related]) => ({
    ...{ collection, field, related_collection: related },
  }));
  const change: SchemaChange = {
    kind: 'collections.create',
    ...(references.length > 0 && { references }),
    collections: [
      {
        collection,
        schema: {},
        meta:
          name === undefined
            ? {}
            : {
                translations: [
                  { language: 'en-US', translation: name, singular: name, plural: name },
                ],
              },
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
 * Submits the schema job in the database session of the import. A worker whose import another
 * worker has taken over has lost that session, so it cannot submit the job.
 */
async function submitCreation(
  message: ImportMessage,
  inference: Inference,
  context: ActorContext,
): Promise<void> {
  const { pool, schema, queues } = context.services;
  const client = await context.connect();
  const submission = submissionOf(message, inference, context);
  await requireAccepting(client, schema, submission.queue);
  const job = await recordJob(client, schema, submission);
  try {
    await wakeNext(pool, schema, queues, submission.mailbox);
  } catch (error) {
    context.log.warn({ err: error, job }, 'the reconciler queued a schema job');
  }
}

/**
 * Gives fields that refer to items the type of their key.
 * @throws ServiceError when an import cannot create such a field
 */
function withKeyTypes(
  catalog: Catalog,
  name: string,
  parameters: ImportParameters,
): ImportParameters {
  const { relations = {}, types = {} } = parameters;
  const own = Object.entries(relations).map(([field, related]) => {
    const { one, key } = referencedSide(catalog, related);
    const type = NEW_FIELD_TYPES.find((one) => one === key.type);
    if (field === (parameters.key ?? 'id')) {
      throw invalidPayload(reason('relation_on_primary_key', { field, collection: name }));
    }
    if (one.system || type === undefined) {
      throw invalidPayload(reason('new_field_cannot_refer', { field, collection: related }));
    }
    return [field, type] as const;
  });
  return own.length === 0
    ? parameters
    : { ...parameters, types: { ...types, ...Object.fromEntries(own) } };
}

/**
 * Infers the fields of the file.
 * @throws ServiceErrors when the file cannot be read, or no table can store its data
 */
async function infer(
  message: ImportMessage,
  file: StoredFile,
  context: ActorContext,
): Promise<Inference> {
  const { config, catalog } = context.services;
  const { parameters: given = {} } = message;
  const parameters = withKeyTypes(catalog.current(), message.collection, given);
  const expansion = { bytes: config.IMPORT_MAX_EXPANDED_SIZE, ratio: config.IMPORT_MAX_EXPANSION };
  let opened: ImportFile | undefined;
  try {
    opened = await withAgreedSeparator(await openFile(file, parameters, expansion));
    const { signal } = context;
    return await inferFields(opened, { signal, faultsMax: config.MAX_IMPORT_ERRORS });
  } catch (error) {
    if (error instanceof UnreadableFile) throw importErrors(named(message), error.faults);
    throw error;
  } finally {
    if (opened !== undefined) closeFile(opened);
  }
}

/** A collection that does not exist yet, in the form that reports use. */
function named({ collection }: ImportMessage) {
  return { collection: { name: collection, fields: new Map() } };
}

/** The result of a dry run, as far as the file determines it. */
function trial(
  message: ImportMessage,
  { fields, rows, skipped, failed, faults, misfits }: Inference,
): ImportResult & { readonly fields: readonly InferredField[] } {
  const [first, ...rest] = [...faults, ...misfits.faults];
  if (first !== undefined && message.parameters?.onError !== 'skip') {
    throw importErrors(named(message), [first, ...rest]);
  }
  const counts = {
    ...{ inserted: rows - misfits.rows, updated: 0, unchanged: 0, duplicates: 0, skipped },
    failed: failed + misfits.rows,
  };
  return { ...counts, dry_run: true, fields };
}

/** The inputs of an import that creates its collection. */
export interface CreationOptions {
  readonly message: ImportMessage;
  readonly file: StoredFile;
  readonly sender: ImportSender;
}

export type Creation =
  | { readonly created: Created | null; readonly trial?: never }
  /** A dry run creates nothing; this is its result. */
  | { readonly trial: ImportResult; readonly created?: never };

/**
 * Creates the collection unless it exists. After a crash or on a retry, the schema job of the
 * earlier attempt is reused, so it is never submitted twice.
 * @throws ServiceError FORBIDDEN for callers who are not administrators; the errors of the schema
 *   job
 */
export async function createCollection(
  { message, file, sender }: CreationOptions,
  context: ActorContext,
): Promise<Creation> {
  const { catalog } = context.services;
  const { collection } = message;
  const isThere = async () => (await catalog.refresh()).collections.has(collection);
  const earlier = await ended(message, context);
  if (await isThere()) {
    const made = createdBy(earlier);
    if (made === null) return { created: null };
    // An earlier attempt found the notations of the columns.
    return {
      created: { ...made, formats: formatsOf((await infer(message, file, context)).fields) },
    };
  }
  if (!sender.rights.admin) throw forbidden();
  const inference = await infer(message, file, context);
  if (message.parameters?.dryRun === true) return { trial: trial(message, inference) };
  const [misfit, ...others] = inference.misfits.faults;
  // The import would refuse the file, so the collection is not created.
  if (misfit !== undefined) throw importErrors(named(message), [misfit, ...others]);
  await context.failpoint('import.inferred');
  await submitCreation(message, inference, context);
  await context.failpoint('import.creating');
  const done = await ended(message, context);
  if (done?.state === 'completed' || (await isThere())) {
    const made = createdBy(done);
    const told = made && { ...made, fields: inference.fields };
    return { created: told && { ...told, formats: formatsOf(inference.fields) } };
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
