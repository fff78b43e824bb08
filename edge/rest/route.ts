/** The type of an entry in the route table, and parts that many entries share. */

import * as v from 'valibot';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import type { EdgeServices } from '#edge/services.ts';
import { parseBody } from './body.ts';
import type { Call, CallHandler } from './call.ts';
import type { AnswerFacts, BodyFacts, RouteFacts, SizeVariable } from './route-facts.ts';

/**
 * Serves content that is the same for all callers, such as the files of a page. No token, session,
 * lease or rate limit applies.
 */
export interface UncheckedHandler {
  readonly unchecked: (request: Request, services: PageServices) => Response | Promise<Response>;
}

/** The services that such responses may use. */
export type PageServices = Pick<EdgeServices, 'config' | 'adminApp' | 'docs'>;

export interface RouteEntry extends RouteFacts {
  /**
   * A response instead of a function is the same for all callers, and is sent without any check.
   */
  readonly handle: CallHandler | Response | UncheckedHandler;
}

const JSON_TYPES = ['application/json'] as const;

/** A JSON body that the handler parses. */
export function jsonBody(
  schema: v.GenericSchema,
  limit: SizeVariable = 'BODY_MAX_SIZE',
): BodyFacts {
  return { types: JSON_TYPES, schema, limit };
}

/** Any JSON object. */
export const anyObjectBody = v.record(v.string(), v.unknown());

/** A JSON body that its schema validates before the handler begins. */
export function parsedBody<S extends v.GenericSchema>(
  schema: S,
  handle: (call: Call, body: v.InferOutput<S>) => ReturnType<CallHandler>,
  limit: 'FORM_MAX_SIZE' | 'BODY_MAX_SIZE' = 'FORM_MAX_SIZE',
): Pick<RouteEntry, 'body' | 'handle'> {
  return {
    body: jsonBody(schema, limit),
    handle: async (call) => handle(call, await parseBody(call, schema, limit)),
  };
}

/** 200 with JSON. */
export const JSON_ANSWER: AnswerFacts = { statuses: [200], type: 'application/json' };

/** 200 with JSON whose `data` has this schema. */
export function dataAnswer(data: v.GenericSchema): AnswerFacts {
  return { ...JSON_ANSWER, schema: v.strictObject({ data }) };
}

/** Like {@link dataAnswer}, or 204 when the caller may not read the data. */
export function writtenDataAnswer(data: v.GenericSchema): AnswerFacts {
  return { ...WRITE_ANSWER, schema: v.strictObject({ data }) };
}

/** The errors of a write to items. */
export const WRITE_ERRORS = [
  'FAILED_VALIDATION',
  'RECORD_NOT_UNIQUE',
  'NOT_NULL_VIOLATION',
  'INVALID_FOREIGN_KEY',
  'VALUE_OUT_OF_RANGE',
  'VALUE_TOO_LONG',
] as const satisfies readonly ErrorCode[];

/** 204. */
export const NO_CONTENT_ANSWER: AnswerFacts = { statuses: [204], type: null };
/** 200 without a body. */
export const EMPTY_ANSWER: AnswerFacts = { statuses: [200], type: null };
/** 200 with the written items, or 204 when the caller may not read them. */
export const WRITE_ANSWER: AnswerFacts = { statuses: [200, 204], type: 'application/json' };
