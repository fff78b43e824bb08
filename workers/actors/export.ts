/**
 * Writes export files. A file is written under a temporary name and renamed when it is complete;
 * the job completes afterwards. A crashed attempt leaves no file that a client can download, and
 * the next attempt writes a new one.
 */

import { jobCaller } from '#core/access/job-caller.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { cancelStatement } from '#core/database/cancel.ts';
import type { Connection } from '#core/database/pool.ts';
import {
  EXPORT_JOB,
  type ExportMessage,
  type ExportResult,
  exportFileId,
  exportMailbox,
  exportMessage,
} from '#core/jobs/message/export.ts';
import { completeJob, SupersededError } from '#core/jobs/write-job-status.ts';
import { exportStatement } from '#core/services/exports.ts';
import { removeSurplusFiles } from '#core/services/file-retention.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { ContextSource } from '#core/services/request-context.ts';
import { type FileStatement, fileParts } from '#core/transfer/export/export-file.ts';
import { fileName, withExtension } from '#core/transfer/export/format.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';
import { RetryableError } from '#workers/runtime/retryable-error.ts';

interface Written {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes the file to the spool. */
async function write(
  client: Connection,
  statement: FileStatement,
  file: string,
  context: ActorContext,
): Promise<Written> {
  const { services, signal } = context;
  let rows = 0;
  let bytes = 0;
  const content = async function* () {
    for await (const part of fileParts(client, statement)) {
      signal.throwIfAborted();
      rows = part.rows;
      bytes += part.bytes.length;
      yield part.bytes;
      context.progress({ rows, bytes, percent: null });
      await context.failpoint('export.part');
    }
  };
  const spooled = await services.spool.write(file, content(), {
    bytes: services.config.EXPORT_MAX_SIZE,
    variable: 'EXPORT_MAX_SIZE',
  });
  return { rows, ...spooled };
}

/** Whether a later attempt may succeed: for every service failure except a full disk. */
function mayPass(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.code !== 'SERVICE_UNAVAILABLE') return false;
  return error.details.service !== 'storage';
}

async function exportFile(message: ExportMessage, context: ActorContext): Promise<ExportResult> {
  const { services, job, signal } = context;
  const { catalog, access, config, spool } = services;
  for (let attempt = 1; attempt < job.attempt; attempt += 1) {
    await spool.remove(exportFileId({ id: job.id, attempt }));
  }
  const client = await context.connect();
  const stop = () => void cancelStatement(client);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const caller = await jobCaller(services, message.user, message.ip);
    // The table may be new, or altered since the request.
    await catalog.refresh();
    const contexts = new ContextSource({ catalog, access, bounds: queryBounds(config) });
    const { collection, format, title } = message;
    const file = exportFileId(job);
    const written = await contexts.with({ caller, collection }, async (items) => {
      // Ends a transaction that an attempt with an outdated catalog left open.
      await client.query('ROLLBACK');
      return await write(client, exportStatement(items, message), file, context);
    });
    const named =
      title === null ? fileName(collection, format, new Date()) : withExtension(title, format);
    return { ...written, format, file: named };
  } catch (error) {
    signal.throwIfAborted();
    throw mayPass(error) ? new RetryableError(error, error) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Limits the files of a user, so that they cannot fill the disk; the new file remains. */
async function limitFiles({ services, job, log }: ActorContext): Promise<void> {
  const { config } = services;
  const limits = { keep: Math.max(1, config.JOB_FILES_MAX), bytes: config.SPOOL_MAX_PER_USER };
  try {
    await removeSurplusFiles(services, { holder: job.holder, ...limits });
  } catch (error) {
    log.warn({ err: error }, 'could not remove files of ended jobs');
  }
}

export const exportActor: Actor<typeof exportMessage> = {
  name: EXPORT_JOB,
  queue: 'transfer',
  message: exportMessage,
  version: 2,
  effect: 'transactional',
  deadline: ({ config }) => config.EXPORT_TIMEOUT,
  mailbox: ({ user }) => exportMailbox(user),

  async receive(message, context) {
    const { job, services } = context;
    const { pool, schema, spool } = services;
    const result = await exportFile(message, context);
    await context.failpoint('export.written');
    try {
      const { rows, bytes } = result;
      const progress = { rows, bytes, percent: 100 };
      context.progress(progress);
      await completeJob(pool, schema, job, result, { keptFile: exportFileId(job), progress });
    } catch (error) {
      // Another attempt has taken over the job, or the job was cancelled.
      if (error instanceof SupersededError) await spool.remove(exportFileId(job));
      throw error;
    }
    await context.failpoint('export.completed');
    await limitFiles(context);
    return result;
  },
};
