/** The upload that a job works on: its message names it, and it goes when the job has ended. */
import * as v from 'valibot';
import type { Log } from '#core/log/log.ts';
import type { Spool } from '#core/transfer/spool.ts';

const withUpload = v.object({ file: v.object({ id: v.pipe(v.string(), v.uuid()) }) });

/** The id of the upload that a job's message names; null when it names none. */
export function uploadOf(message: unknown): string | null {
  return v.is(withUpload, message) ? message.file.id : null;
}

/**
 * Removes the upload of a job whose end is recorded, so that no delivery will be begun again. One
 * that was superseded and still reads it can commit nothing. What cannot be removed is only logged:
 * it is left to the daily tidying.
 */
export async function discardUpload(spool: Spool, message: unknown, log: Log): Promise<void> {
  const id = uploadOf(message);
  if (id === null) return;
  try {
    await spool.remove(id);
  } catch (error) {
    log.warn({ err: error, upload: id }, 'an upload was not removed');
  }
}
