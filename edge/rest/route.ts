/**
 * The form of an entry in the table of routes: everything about a route except its work. The
 * router, the checks before a handler and the documents derive from it.
 */
import * as v from 'valibot';
import type { Config } from '#core/config/config.ts';
import type { Response } from '#edge/http/response.ts';
import type { Method } from '#edge/http/router.ts';
import type { StrictName } from '#edge/limit/rate-limits.ts';
import { bodyOf } from './body.ts';
import type { Call, CallHandler } from './call.ts';

/**
 * Who may call a route. `anyone`; `user`: logged-in callers, others get FORBIDDEN; `account`: the
 * same for routes about the caller's own account, others get INVALID_CREDENTIALS; `administrator`;
 * `rights`: callers with permissions, as the service decides.
 */
export type Access = 'anyone' | 'user' | 'account' | 'administrator' | 'rights';

/** The variable that limits the size of a body. */
type SizeVariable = 'FORM_MAX_SIZE' | 'QUERY_BODY_MAX_SIZE' | 'BODY_MAX_SIZE' | 'IMPORT_MAX_SIZE';

/** The body that a route takes; beside a JSON body a limit of files is that of the handler. */
export interface BodyFacts {
  readonly types: readonly ('application/json' | 'multipart/form-data')[];
  /** Null for a file of any content. */
  readonly schema: v.GenericSchema | null;
  readonly limit: SizeVariable;
}

/** The answer of a successful request. */
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
  /** The parameters of the URL besides `access_token`; none by default. */
  readonly parameters?: readonly string[];
  /** Null when it takes none. */
  readonly body: BodyFacts | null;
  readonly answer: AnswerFacts;
  /** A strict rate limit by address, besides those of every route. */
  readonly limit?: StrictName;
  /**
   * The session cookie does not identify the caller: the handler reads cookies itself, and an
   * expired one must not prevent a login.
   */
  readonly ignoresSession?: true;
  /** Allowed for callers who must set up a second factor first. */
  readonly beforeSecondFactor?: true;
  /** Further headers of the answer to OPTIONS. */
  readonly options?: (config: Config) => Readonly<Record<string, string>>;
  /** Works also while this process has no lease. */
  readonly whileBehind?: true;
  /** A response instead of a function is the same for everybody, and is sent without any check. */
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
/** 200 with the written items, or 204 when they may not be read. */
export const WRITTEN: AnswerFacts = { statuses: [200, 204], type: 'application/json' };
