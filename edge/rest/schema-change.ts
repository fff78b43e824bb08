/** What every route that changes the schema has in common. */
import { ServiceError } from '#core/errors/service-error.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { entityTag, namesTag } from '#edge/http/entity-tag.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, jsonText, NO_CONTENT } from './call.ts';
import { jobAnswer } from './job-answer.ts';

/** A parameter that says yes by being there, unless its value says no. */
export function flag({ parameters }: Call, name: string): boolean {
  const value = parameters[name];
  return value !== undefined && value !== 'false';
}

/** What cannot be shown any more, because somebody has taken it away, was made all the same. */
async function orNothing(text: Promise<string>): Promise<Response> {
  try {
    return jsonText(await text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return NO_CONTENT;
    throw error;
  }
}

/** How a change is to be made. */
export const CHANGE_PARAMETERS = ['concurrentIndexCreation', 'force'];

/**
 * Changes the schema as a job, and answers when every process knows of it.
 * @param shown the text that the answer consists of; null: it has no content
 */
export async function changeSchema(
  call: Call,
  change: SchemaChange,
  shown: (() => Promise<string>) | null,
): Promise<Response> {
  const { caller, services } = call;
  const id = await services.schema.submit(caller, change, {
    concurrently: flag(call, 'concurrentIndexCreation'),
    force: flag(call, 'force'),
  });
  return jobAnswer(call, id, async (job) => {
    await services.schema.known(job);
    return shown === null ? NO_CONTENT : orNothing(shown());
  });
}

/**
 * Refuses a change of what has changed since its client read it (RFC 9110, 13.1.1), as far as that
 * can be seen when the change is accepted; those that wait for their turn then are not in it.
 * @param read the text of the answer that the client may have
 * @throws ServiceError PRECONDITION_FAILED
 */
async function requireMatch({ request }: Call, read: () => Promise<string>): Promise<void> {
  const tags = request.header('if-match');
  if (tags === undefined || tags.trim() === '*') return;
  if (!namesTag(tags, entityTag(await read()))) throw new ServiceError('PRECONDITION_FAILED');
}

/** What a route changes or takes away: the change, and how the thing itself is shown. */
export interface OneChange {
  readonly change: SchemaChange;
  readonly read: () => Promise<string>;
}

/** Changes one thing, which the answer shows. */
export async function changeOne(call: Call, { change, read }: OneChange): Promise<Response> {
  await requireMatch(call, read);
  return changeSchema(call, change, read);
}

/** Takes one thing away. */
export async function removeOne(call: Call, { change, read }: OneChange): Promise<Response> {
  await requireMatch(call, read);
  return changeSchema(call, change, null);
}
