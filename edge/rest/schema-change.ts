/** Logic that all routes that change the schema share. */
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { entityTag, namesTag } from '#edge/http/entity-tag.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, jsonTextResponse, NO_CONTENT, visitorOf } from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { jobResponse } from './job-answer.ts';
import { flagParameter } from './parameter/item.ts';
import type { RouteEntry } from './route.ts';
import type { ParameterTable } from './route-facts.ts';

/** A parameter that is true when present, unless its value is `false`. */
export function booleanParameter({ parameters }: Call, name: string): boolean {
  const value = parameters[name];
  return value !== undefined && value !== 'false';
}

/**
 * The change was made even when its result is no longer available, because a later request deleted
 * it.
 */
async function orNothing(text: Promise<string>): Promise<Response> {
  try {
    return jsonTextResponse(await text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return NO_CONTENT;
    throw error;
  }
}

/** The options of a change. */
export const CHANGE_PARAMETERS: ParameterTable = {
  concurrentIndexCreation: {
    summary: 'Builds indexes without locking the table',
    schema: flagParameter,
  },
  force: { summary: 'Accepts that values are lost', schema: flagParameter },
};

/** The common facts of responses to changes. */
export const SCHEMA_CHANGE_ROUTE = {
  access: 'administrator',
  headers: ['Prefer', 'Idempotency-Key', 'If-Match'],
  errors: [
    'CONTAINS_NULL_VALUES',
    'RECORD_NOT_UNIQUE',
    'INVALID_FOREIGN_KEY',
    'FAILED_VALIDATION',
    'VALUE_OUT_OF_RANGE',
    'VALUE_TOO_LONG',
    'CONFLICT',
    'PRECONDITION_FAILED',
    'UNPROCESSABLE_ENTITY',
  ],
} as const satisfies Partial<RouteEntry>;

/**
 * Changes the schema with a job, and responds when every process has applied the change.
 * @param shown returns the text of the response; null: it has no content
 * @param condition throws when the change must not be made
 */
export async function changeSchema(
  call: Call,
  change: SchemaChange,
  shown: (() => Promise<string>) | null,
  condition?: () => Promise<void>,
): Promise<Response> {
  const { caller, services } = call;
  const id = await services.schema.submit(caller, change, {
    concurrently: booleanParameter(call, 'concurrentIndexCreation'),
    force: booleanParameter(call, 'force'),
    idempotencyKey: idempotencyKeyOf(call.request),
    requestId: call.request.id,
    visitor: visitorOf(call),
    ...(condition && { condition }),
  });
  return jobResponse(call, id, async (job) => {
    await services.schema.known(job);
    return shown === null ? NO_CONTENT : orNothing(shown());
  });
}

/**
 * Refuses a change when its object has changed since the client read it (RFC 9110, 13.1.1). The
 * check happens when the change is accepted; it ignores earlier changes that still wait.
 * @param read returns the response that the client may have
 * @throws ServiceError PRECONDITION_FAILED
 */
async function requireMatch({ request }: Call, read: () => Promise<string>): Promise<void> {
  const tags = request.header('if-match');
  if (tags === undefined || tags.trim() === '*') return;
  if (!namesTag(tags, entityTag(await read()))) throw new ServiceError('PRECONDITION_FAILED');
}

/** A change or deletion by a route, and how its object is read. */
export interface SingleSchemaChange {
  readonly change: SchemaChange;
  readonly read: () => Promise<string>;
}

/** Changes one object and responds with it. */
export async function changeAndShow(
  call: Call,
  { change, read }: SingleSchemaChange,
): Promise<Response> {
  return changeSchema(call, change, read, () => requireMatch(call, read));
}

/** A change after which the object is read in another place. */
export interface RenamingSchemaChange extends SingleSchemaChange {
  /** Returns the object under its new name. */
  readonly shown: () => Promise<string>;
}

/** Renames one object and responds with it. */
export async function renameAndShow(
  call: Call,
  { change, read, shown }: RenamingSchemaChange,
): Promise<Response> {
  return changeSchema(call, change, shown, () => requireMatch(call, read));
}

/** Deletes one object. */
export async function deleteSchemaPart(
  call: Call,
  { change, read }: SingleSchemaChange,
): Promise<Response> {
  return changeSchema(call, change, null, () => requireMatch(call, read));
}
