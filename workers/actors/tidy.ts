/**
 * Removes old ended jobs, uploads that no open job refers to, and history older than configured. It
 * only reports stored content that does not match the files. It also submits measurements of
 * unmeasured images.
 */
import * as v from 'valibot';
import { render, sql } from '#core/database/sql.ts';
import { ResumableUploadTable } from '#core/files/resumable-upload.ts';
import { removeOldKeys } from '#core/jobs/idempotency-key.ts';
import { EXPORT_JOB, exportFileId } from '#core/jobs/message/export.ts';
import { IMPORT_JOB } from '#core/jobs/message/import.ts';
import { TIDY_JOB, tidyMessage } from '#core/jobs/message/tidy.ts';
import { jobOfFile } from '#core/jobs/rejected-file-id.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { removeExpiredFiles } from '#core/services/file-retention.ts';
import { auditContent, type ContentAudit } from '#core/services/files/content-audit.ts';
import { submitMeasurements } from '#core/services/files/submit-measurements.ts';
import { uploadIdOf } from '#core/transfer/upload.ts';
import {
  type RetentionOptions,
  removeActivities,
  removeRevisions,
} from '#core/write/history/retention.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';
import type { Services } from '#workers/services.ts';

const DEADLINE_MS = 600_000;
/** An upload has no job while it arrives, nor for a short time afterwards. */
const UPLOAD_GRACE_MS = 6 * 3_600_000;
/**
 * When removing history takes longer, the rest remains for the next night, and the job does not
 * fail.
 */
const HISTORY_MS = DEADLINE_MS / 2;

const openJobs = v.array(v.object({ message: v.unknown() }));
const keptFiles = v.array(v.object({ kept_file: v.string() }));
const exportJobs = v.array(v.object({ id: v.string(), attempt: v.number() }));

/**
 * Removes jobs that ended before JOBS_RETENTION or exceed JOBS_MAX_KEPT, with their rejected rows.
 * Jobs that an Idempotency-Key can still find remain.
 */
async function removeJobs({ pool, schema, config }: Services): Promise<number> {
  const jobs = systemTable(schema, 'jobs');
  const { rowCount } = await pool.query(
    render(sql`DELETE FROM ${jobs} AS j
      WHERE (finished_on < now() - make_interval(secs => ${config.JOBS_RETENTION / 1_000})
          OR finished_on <= (SELECT finished_on FROM ${jobs} WHERE finished_on IS NOT NULL
            ORDER BY finished_on DESC OFFSET ${config.JOBS_MAX_KEPT} LIMIT 1))
        AND NOT EXISTS (SELECT FROM ${systemTable(schema, 'idempotency_keys')} WHERE job = j.id)`),
  );
  return rowCount ?? 0;
}

/**
 * Removes what imports kept longer than UNDO_RETENTION; their results say so.
 * @returns of how many imports
 */
async function removeUndos({ pool, schema, config }: Services): Promise<number> {
  const { rowCount } = await pool.query(
    render(sql`WITH expired AS (DELETE FROM ${systemTable(schema, 'import_undos')}
        WHERE created_on < now() - make_interval(secs => ${config.UNDO_RETENTION / 1_000})
        RETURNING import),
      told AS (UPDATE ${systemTable(schema, 'jobs')}
        SET result = jsonb_set(result, '{undo}', 'false')
        WHERE id IN (SELECT import FROM expired) AND result IS NOT NULL)
      SELECT import FROM expired`),
  );
  return rowCount ?? 0;
}

/** The files in use: uploads of open jobs, retained files, and files that are being written. */
async function filesInUse({ orm }: Services): Promise<ReadonlySet<string>> {
  const { fork, entity } = await orm.open();
  const open = { state: { $in: ['waiting', 'running'] } };
  const uploads = v
    .parse(openJobs, await fork().find(entity('system_jobs'), open))
    .map(({ message }) => uploadIdOf(message));
  const running = { kind: EXPORT_JOB, state: 'running' };
  const exports = v
    .parse(exportJobs, await fork().find(entity('system_jobs'), running))
    .map(exportFileId);
  const kept = v
    .parse(keptFiles, await fork().find(entity('system_jobs'), { kept_file: { $ne: null } }))
    .map(({ kept_file }) => kept_file);
  return new Set([...uploads.filter((id) => id !== null), ...exports, ...kept]);
}

/** The files that are reports of jobs; a report has the id of its job. */
async function reportsAmong(
  { pool, schema }: Services,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(
    render(sql`SELECT id FROM ${systemTable(schema, 'jobs')}
      WHERE kind = ${IMPORT_JOB} AND id = ANY (${ids.map(jobOfFile)}::uuid[])`),
  );
  return new Set(rows.map(({ id }) => id));
}

async function removeUploads({ services, signal }: ActorContext): Promise<number> {
  const { spool } = services;
  const before = Date.now() - UPLOAD_GRACE_MS;
  const old = (await spool.list()).filter(({ modified }) => modified.getTime() < before);
  const used = await filesInUse(services);
  const ids = old.map(({ id }) => id);
  const reports = await reportsAmong(services, ids);
  const unused = old.filter(({ id }) => !used.has(id) && !reports.has(jobOfFile(id)));
  for (const { id } of unused) {
    signal.throwIfAborted();
    await spool.remove(id);
  }
  return unused.length;
}

async function removeHistory({ services, signal }: ActorContext) {
  const { config, pool, schema } = services;
  if (!config.RETENTION_ENABLED) return {};
  const end = performance.now() + HISTORY_MS;
  const olderThan = (age: number): RetentionOptions => ({
    connections: pool,
    schema,
    before: new Date(Date.now() - age),
    goesOn: () => !signal.aborted && performance.now() < end,
  });
  return {
    revisions: await removeRevisions(olderThan(config.REVISIONS_RETENTION)),
    activities: await removeActivities(olderThan(config.ACTIVITY_RETENTION)),
  };
}

/** The number of unmeasured images whose measurement was submitted. */
async function images({ services, log }: ActorContext): Promise<number> {
  try {
    return await submitMeasurements(services);
  } catch (error) {
    log.warn({ err: error }, 'images are currently not measured');
    return 0;
  }
}

/**
 * The number of mismatches between stored content and files; null when a storage is unavailable.
 */
async function content({ services, log, signal }: ActorContext): Promise<ContentAudit | null> {
  const { pool, schema, files } = services;
  try {
    return await auditContent({ pool, schema, store: files, log }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'could not compare the stored content with the files');
    return null;
  }
}

export const tidyActor: Actor<typeof tidyMessage> = {
  name: TIDY_JOB,
  queue: 'maintenance',
  message: tidyMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,
  async receive(_, context) {
    const { pool, schema } = context.services;
    await removeOldKeys(pool, schema);
    const { TUS_UPLOAD_EXPIRATION: lifetime } = context.services.config;
    await new ResumableUploadTable(pool, schema, lifetime).removeExpired();
    const { spool, config } = context.services;
    const limits = {
      age: config.JOB_FILES_RETENTION,
      keep: config.JOB_FILES_MAX,
      bytes: config.SPOOL_MAX_PER_USER,
    };
    const kept = await removeExpiredFiles({ pool, schema, spool }, limits);
    return {
      jobs: await removeJobs(context.services),
      undos: await removeUndos(context.services),
      files: kept + (await removeUploads(context)),
      content: await content(context),
      images: await images(context),
      ...(await removeHistory(context)),
    };
  },
};
