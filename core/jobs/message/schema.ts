/** The message of a job that alters the schema: the change itself, which is small. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';
import { type SchemaChange, schemaChange } from '#core/schema/change.ts';

export const SCHEMA_JOB = 'schema';
/** The one mailbox of all changes: they are made one after another, across the cluster. */
export const SCHEMA_MAILBOX = 'schema changes';

export const schemaMessage = v.strictObject({
  version: v.literal(1),
  change: schemaChange,
  /** Indexes are built after the change, without holding up writers. */
  concurrently: v.boolean(),
  /** Values may be lost. */
  force: v.boolean(),
});
export type SchemaMessage = v.InferOutput<typeof schemaMessage>;

/** What the job keeps as its result. */
export const schemaResult = v.looseObject({
  /** The version of the catalog that has the change. */
  version: v.number(),
});
export type SchemaResult = v.InferOutput<typeof schemaResult>;

/** The one collection that a change is about; null when there are several or none. */
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

/** @param user key of who asked for it */
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
