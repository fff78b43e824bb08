/**
 * The form of an entry in the table of routes: everything that is known of a route before anybody
 * calls it. The router, the checks before a handler and the documents derive from it.
 */
import * as v from 'valibot';
import type { Response } from '#edge/http/response.ts';
import type { Method } from '#edge/http/router.ts';
import type { StrictName } from '#edge/limit/rate-limits.ts';
import { bodyOf } from './body.ts';
import type { Call, CallHandler } from './call.ts';

/**
 * Who may call a route. `anyone`; `user`: who is signed in, others are FORBIDDEN; `account`: the
 * same for what is about the caller's own account, others have INVALID_CREDENTIALS;
 * `administrator`; `rights`: whom permissions allow it, as the service behind it decides.
 */
export type Access = 'anyone' | 'user' | 'account' | 'administrator' | 'rights';

/** The variable that bounds the size of a body. */
type SizeVariable = 'FORM_MAX_SIZE' | 'QUERY_BODY_MAX_SIZE' | 'BODY_MAX_SIZE' | 'IMPORT_MAX_SIZE';

/** What a route takes as its body. */
export interface BodyFacts {
  readonly types: readonly ('application/json' | 'multipart/form-data')[];
  /** Null for a file of any content. */
  readonly schema: v.GenericSchema | null;
  readonly limit: SizeVariable;
}

/** What a route answers when nothing is wrong. */
export interface AnswerFacts {
  readonly statuses: readonly number[];
  /** Null without a body. */
  readonly type: string | null;
  /** The work is a job: 202 with its address, at once or when it takes too long. */
  readonly job?: true;
}

export interface RouteEntry {
  readonly method: Method;
  /** Parts between slashes are literal, or `:name` for any one part. */
  readonly path: string;
  /** What it does: a sentence without its full stop. */
  readonly summary: string;
  readonly access: Access;
  /** Those of the URL that it takes, beside `access_token`; none when it is left out. */
  readonly parameters?: readonly string[];
  /** Null when it takes none. */
  readonly body: BodyFacts | null;
  readonly answer: AnswerFacts;
  /** A strict rate limit by address, beside those that hold for every route. */
  readonly limit?: StrictName;
  /**
   * The session cookie does not tell who calls: the handler reads cookies itself, and one that is
   * over must not keep anybody from signing in.
   */
  readonly ignoresSession?: true;
  /** Open to callers who have to set up a second factor first. */
  readonly beforeSecondFactor?: true;
  /** Answered also while this process may be behind the others. */
  readonly whileBehind?: true;
  /** A response alone is the same for everybody, and is given before anything is looked at. */
  readonly handle: CallHandler | Response;
}

const JSON_TYPES = ['application/json'] as const;

/** A JSON body that the handler reads itself. */
export function json(schema: v.GenericSchema, limit: SizeVariable = 'BODY_MAX_SIZE'): BodyFacts {
  return { types: JSON_TYPES, schema, limit };
}

/** Any JSON object. */
export const anyObject = v.record(v.string(), v.unknown());

/** A JSON body that is parsed by its schema before the handler begins. */
export function parsedBody<S extends v.GenericSchema>(
  schema: S,
  handle: (call: Call, body: v.InferOutput<S>) => ReturnType<CallHandler>,
  limit: 'FORM_MAX_SIZE' | 'BODY_MAX_SIZE' = 'FORM_MAX_SIZE',
): Pick<RouteEntry, 'body' | 'handle'> {
  return {
    body: json(schema, limit),
    handle: async (call) => handle(call, await bodyOf(call, schema, limit)),
  };
}

/** 200 with JSON. */
export const DATA: AnswerFacts = { statuses: [200], type: 'application/json' };
/** 204. */
export const NOTHING: AnswerFacts = { statuses: [204], type: null };
/** 200 without a body. */
export const EMPTY: AnswerFacts = { statuses: [200], type: null };
/** 200 with what was written, or 204 where that may not be read. */
export const WRITTEN: AnswerFacts = { statuses: [200, 204], type: 'application/json' };
