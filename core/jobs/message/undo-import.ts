/** The message and the result of a job that undoes an import. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';
import { IMPORT_JOB } from './import.ts';

export const UNDO_IMPORT_JOB = 'undo-import';

export const undoImportMessage = v.strictObject({
  version: v.literal(1),
  /** The job of the import. */
  import: v.pipe(v.string(), v.uuid()),
  collection: v.string(),
  /** Only reports what the job would do. */
  dryRun: v.boolean(),
  /** The address of the request, for policies that apply only at certain addresses. */
  ip: v.nullable(v.string()),
});
export type UndoImportMessage = v.InferOutput<typeof undoImportMessage>;

export const undoImportResult = v.strictObject({
  /** The job of the import. */
  import: v.string(),
  /** Rows that the import inserted, and that are removed. */
  removed: v.number(),
  /** Rows that the import overwrote, and that have their former values. */
  restored: v.number(),
  /** Rows that stay as they are. */
  kept: v.number(),
  /** Their number by the code of the reason. */
  reasons: v.record(v.string(), v.number()),
  /** Nothing was changed; absent otherwise. */
  dry_run: v.optional(v.literal(true)),
});
export type UndoImportResult = v.InferOutput<typeof undoImportResult>;

/** It runs in turn with the imports into the collection. */
export function undoImportMailbox(collection: string): string {
  return `${IMPORT_JOB}:${collection}`;
}

/** An undo that is open is joined. */
export function undoImportSubmission(
  message: UndoImportMessage,
  { user, holder }: { readonly user: string | null; readonly holder: string },
): Submission {
  const { collection, dryRun } = message;
  return {
    ...{ kind: UNDO_IMPORT_JOB, queue: 'transfer', message, collection, user, holder },
    mailbox: undoImportMailbox(collection),
    fingerprint: `${message.import}:${dryRun ? 'dry' : 'done'}`,
  };
}
