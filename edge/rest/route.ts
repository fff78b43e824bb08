/**
 * The form of an entry in the table of routes: everything about a route except its work. The
 * router, the checks before a handler and the documents derive from it.
 */
import * as v from 'valibot';
import type { Action } from '#core/access/rights.ts';
import type { Config } from '#core/config/config.ts';
import type { ErrorCode } from '#core/errors/catalogue.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import type { Method } from '#edge/http/router.ts';
import type { StrictName } from '#edge/limit/rate-limits.ts';
import type { EdgeServices } from '#edge/services.ts';
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
  /** Its JSON has items, and the schema says only what every collection has in common. */
  readonly ofItems?: true;
  /** Members that its item may have beside its fields. */
  readonly beside?: v.GenericSchema;
}

/** The answer of a successful request. */
export interface AnswerFacts {
  readonly statuses: readonly number[];
  /** Null without a body. */
  readonly type: string | null;
  /** The whole JSON body; missing for bodies made of items, and for those that are no JSON. */
  readonly schema?: v.GenericSchema;
  /** The work is a job: 202 with its address, at once or when it takes too long. */
  readonly job?: true;
}

/**
 * Answers with what is the same for everybody, such as the files of a page: no token, session, lease or
 * rate limit matters.
 */
export interface UncheckedHandler {
  readonly unchecked: (request: Request, services: PageServices) => Response | Promise<Response>;
}

/** What such answers may depend on. */
export type PageServices = Pick<EdgeServices, 'config' | 'adminApp'>;

/** What of a query of items a parameter is; its schema depends on the collection. */
export type QueryPart = 'fields' | 'filter' | 'sort' | 'alias' | 'aggregate' | 'groupBy' | 'deep';

/** A parameter of the URL. */
export interface ParameterFacts {
  /** What it does: a sentence without its full stop. */
  readonly summary: string;
  /** Its values; or the part of a query that it is. */
  readonly schema: v.GenericSchema | QueryPart;
  /** How a value that is no single one is spelled: as JSON text, or as a list with commas. */
  readonly spelling?: 'json' | 'list';
  /** It shapes lists, and is without effect where there is one item. */
  readonly ofLists?: true;
}

export type ParameterTable = Readonly<Record<string, ParameterFacts>>;

/** A header of a request that changes what a route does. */
export type RequestHeader =
  | 'Prefer'
  | 'If-Match'
  | 'Idempotency-Key'
  | 'Range'
  | 'Last-Event-ID'
  | 'Tus-Resumable'
  | 'Upload-Length'
  | 'Upload-Offset'
  | 'Upload-Metadata';

/** A right that lets a caller use a route; `path`: on the collection that the path names. */
export interface Need {
  readonly action: Action;
  readonly collection: string;
}

/** The items that a route is about, where the catalog says what they are. */
export interface ItemFacts {
  readonly form: ItemForm;
  /** Null when the path names it. */
  readonly collection: string | null;
}

/** A way to read or write items; `own` is the row of the caller. */
export type ItemForm =
  | 'list'
  | 'search'
  | 'read'
  | 'create'
  | 'upsert'
  | 'updateMany'
  | 'updateOne'
  | 'deleteMany'
  | 'deleteOne';

export interface RouteEntry {
  readonly method: Method;
  /** Parts between slashes are literal, or `:name` for any one part; a final `*` is the rest. */
  readonly path: string;
  /** What it does: a sentence without its full stop. */
  readonly summary: string;
  readonly access: Access;
  /** Any of these rights lets callers use it; only with access `rights`. */
  readonly needs?: readonly Need[];
  /** The parameters of the URL besides `access_token`; none by default. */
  readonly parameters?: ParameterTable;
  /** The headers that it heeds, besides those of every route. */
  readonly headers?: readonly RequestHeader[];
  readonly items?: ItemFacts;
  /** Null when it takes none. */
  readonly body: BodyFacts | null;
  /** The type of a body that no form has: bytes as they are. */
  readonly bytes?: 'application/offset+octet-stream';
  readonly answer: AnswerFacts;
  /** What it refuses with, besides what follows from the other facts. */
  readonly errors?: readonly ErrorCode[];
  /** Why descriptions of the API leave it out. */
  readonly leftOut?: string;
  /** Its method is GET, but it answers HEAD alone. */
  readonly headOnly?: true;
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
  readonly handle: CallHandler | Response | UncheckedHandler;
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

/** 200 with JSON whose `data` is this. */
export function answerOf(data: v.GenericSchema): AnswerFacts {
  return { ...DATA, schema: v.strictObject({ data }) };
}

/** The same, or 204 when it may not be read. */
export function writtenOf(data: v.GenericSchema): AnswerFacts {
  return { ...WRITTEN, schema: v.strictObject({ data }) };
}

/** What a write of items is refused with. */
export const WRITE_ERRORS = [
  'FAILED_VALIDATION',
  'RECORD_NOT_UNIQUE',
  'NOT_NULL_VIOLATION',
  'INVALID_FOREIGN_KEY',
  'VALUE_OUT_OF_RANGE',
  'VALUE_TOO_LONG',
] as const satisfies readonly ErrorCode[];

/** 204. */
export const NOTHING: AnswerFacts = { statuses: [204], type: null };
/** 200 without a body. */
export const EMPTY: AnswerFacts = { statuses: [200], type: null };
/** 200 with the written items, or 204 when they may not be read. */
export const WRITTEN: AnswerFacts = { statuses: [200, 204], type: 'application/json' };
