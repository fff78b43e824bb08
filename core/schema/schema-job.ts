/** The message of a job that changes the schema; it contains the change, which is small. */
import * as v from 'valibot';
import type { Visitor } from '#core/accounts/identity/session.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { presentParts } from './rights-snapshot.ts';
import { type SchemaChange, schemaChange } from './schema-change.ts';

export const SCHEMA_JOB = 'schema';
/** The mailbox of all schema changes: they run one after another in the cluster. */
export const SCHEMA_MAILBOX = 'schema changes';

const text = v.nullable(v.string());
const visitor = v.strictObject({ ip: text, userAgent: text, origin: text });

export const schemaMessage = v.strictObject({
  /**
   * 2 can have a visitor, 3 references of new collections; workers of earlier releases leave them to
   * those of this one.
   */
  version: v.picklist([1, 2, 3]),
  change: schemaChange,
  /** Indexes are built after the change, without blocking writers. */
  concurrently: v.boolean(),
  /** Loss of values is accepted. */
  force: v.boolean(),
  /** The client of the request, for the history of permissions. */
  visitor: v.optional(visitor),
});
export type SchemaMessage = v.InferOutput<typeof schemaMessage>;

/** The stored result of the job. */
export const schemaResult = v.looseObject({
  /** The version of the catalog with the change. */
  version: v.number(),
});
export type SchemaResult = v.InferOutput<typeof schemaResult>;

/** The only collection of a change; null for several or no collections. */
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

/** The user who requests a change, and the client. */
export interface ChangeRequester {
  readonly user: string | null;
  readonly visitor?: Visitor;
}

/** Whether the change writes rows that have history. */
function isRecorded(change: SchemaChange): boolean {
  return change.kind === 'apply' && presentParts(change.diff).length > 0;
}

export function schemaSubmission(
  change: SchemaChange,
  options: { readonly concurrently: boolean; readonly force: boolean },
  { user, visitor }: ChangeRequester,
): Submission {
  const { concurrently, force } = options;
  const request = { version: 1, change, concurrently, force } as const;
  const message: SchemaMessage = {
    ...request,
    version: change.kind === 'collections.create' && change.references !== undefined ? 3 : 2,
    ...(visitor !== undefined && isRecorded(change) ? { visitor } : {}),
  };
  return {
    // The same request may come from another client.
    request,
    kind: SCHEMA_JOB,
    queue: 'schema',
    message,
    mailbox: SCHEMA_MAILBOX,
    collection: collectionOf(change),
    user,
    fingerprint: null,
  };
}
