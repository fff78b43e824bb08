/** The message of a job that changes the schema; it contains the change, which is small. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';
import { type SchemaChange, schemaChange } from './schema-change.ts';

export const SCHEMA_JOB = 'schema';
/** The mailbox of all schema changes: they run one after another in the cluster. */
export const SCHEMA_MAILBOX = 'schema changes';

export const schemaMessage = v.strictObject({
  version: v.literal(1),
  change: schemaChange,
  /** Indexes are built after the change, without blocking writers. */
  concurrently: v.boolean(),
  /** Loss of values is accepted. */
  force: v.boolean(),
});
export type SchemaMessage = v.InferOutput<typeof schemaMessage>;

/** The stored result of the job. */
export const schemaResult = v.looseObject({
  /** The version of the catalog with the change. */
  version: v.number(),
});
export type SchemaResult = v.InferOutput<typeof schemaResult>;

/** The only collection of a change; null when there are several or none. */
function collectionOf(change: SchemaChange): string | null {
  if ('collection' in change) return change.collection;
  if (change.kind === 'relations.create') return change.relation.collection;
  const names =
    change.kind === 'collections.create'
      ? change.collections.map(({ collection }) => collection)
      : change.kind === 'collections.update'
        ? change.updates.map(({ collection }) => collection)
        : [];
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** @param user key of the user who requested it */
export function schemaSubmission(
  change: SchemaChange,
  options: { readonly concurrently: boolean; readonly force: boolean },
  user: string | null,
): Submission {
  const { concurrently, force } = options;
  const message: SchemaMessage = { version: 1, change, concurrently, force };
  return {
    kind: SCHEMA_JOB,
    queue: 'schema',
    message,
    mailbox: SCHEMA_MAILBOX,
    collection: collectionOf(change),
    user,
    fingerprint: null,
  };
}
