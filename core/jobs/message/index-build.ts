/** The message of a job that builds an index after a schema change. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const INDEX_JOB = 'index';
/** One index at a time, so that a worker stays free for schema changes. */
export const INDEX_MAILBOX = 'index builds';

export const indexMessage = v.strictObject({
  version: v.literal(1),
  collection: v.string(),
  field: v.string(),
  /** The table, and the name of the new index; the column is named like the field. */
  table: v.strictObject({ schema: v.string(), name: v.string() }),
  index: v.string(),
  unique: v.boolean(),
});
export type IndexMessage = v.InferOutput<typeof indexMessage>;

export function indexSubmission(
  order: Omit<IndexMessage, 'version'>,
  user: string | null,
): Submission {
  return {
    kind: INDEX_JOB,
    queue: 'schema',
    message: { version: 1, ...order },
    mailbox: INDEX_MAILBOX,
    collection: order.collection,
    user,
    fingerprint: null,
  };
}
