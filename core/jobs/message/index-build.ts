/** The message of a job that builds an index after the change that asked for it. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const INDEX_JOB = 'index';
/** One index at a time, so that changes of the schema always find a worker that is free. */
export const INDEX_MAILBOX = 'index builds';

export const indexMessage = v.strictObject({
  version: v.literal(1),
  collection: v.string(),
  field: v.string(),
  /** The table and the name that the index will have; the column has the field's name. */
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
