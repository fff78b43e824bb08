/**
 * The upload of a job: its message contains the id, and the file is removed when the job has ended.
 */
import * as v from 'valibot';
import type { Log } from '#core/base/log/log.ts';
import type { Storage } from '#core/files/storage/storage.ts';

const withUpload = v.object({ file: v.object({ id: v.pipe(v.string(), v.uuid()) }) });

/** The upload id in a job's message; null without an upload. */
export function uploadIdOf(message: unknown): string | null {
  return v.is(withUpload, message) ? message.file.id : null;
}

/**
 * Removes the upload of an ended job, which will not be delivered again. A superseded delivery that
 * still reads it cannot commit. Failures are only logged; the daily cleanup removes the file.
 */
export async function discardUpload(spool: Storage, message: unknown, log: Log): Promise<void> {
  const id = uploadIdOf(message);
  if (id === null) return;
  try {
    await spool.remove(id);
  } catch (error) {
    log.warn({ err: error, upload: id }, 'could not remove an upload');
  }
}
