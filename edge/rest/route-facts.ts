/**
 * The declaration of a route, from which the router, the checks before a handler and the documents
 * derive.
 */
import type * as v from 'valibot';
import type { Action } from '#core/access/rights.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import type { Method } from '#edge/http/router.ts';
import type { StrictName } from '#edge/limit/rate-limits.ts';

/** The variable that limits the size of a body. */
export type SizeVariable =
  | 'FORM_MAX_SIZE'
  | 'QUERY_BODY_MAX_SIZE'
  | 'BODY_MAX_SIZE'
  | 'IMPORT_MAX_SIZE';

/**
 * The callers of a route:
 * - `anyone`;
 * - `user`: logged-in callers, other callers get FORBIDDEN;
 * - `account`: the same for routes about the caller's own account, but the error is
 *   INVALID_CREDENTIALS;
 * - `administrator`;
 * - `rights`: callers with permissions that the service checks.
 */
export type RouteAccess = 'anyone' | 'user' | 'account' | 'administrator' | 'rights';

/** The body that a route accepts. Its handler limits the size of files; `limit` applies to JSON. */
export interface BodyFacts {
  readonly types: readonly ('application/json' | 'multipart/form-data')[];
  /** Null for a file of any content. */
  readonly schema: v.GenericSchema | null;
  readonly limit: SizeVariable;
  /** Its JSON contains items; the schema describes only their common structure. */
  readonly ofItems?: true;
  /** Members that its item may have in addition to its fields. */
  readonly beside?: v.GenericSchema;
}

/** The response to a successful request. */
export interface AnswerFacts {
  readonly statuses: readonly number[];
  /** Null without a body. */
  readonly type: string | null;
  /**
   * The whole JSON body; missing for bodies that contain items, and for bodies that are not JSON.
   */
  readonly schema?: v.GenericSchema;
  /** The route submits a job: 202 with its URL, immediately or when it takes too long. */
  readonly job?: true;
}

/** The part of an item query that a parameter represents; its schema depends on the collection. */
export type QueryPart = 'fields' | 'filter' | 'sort' | 'alias' | 'aggregate' | 'groupBy' | 'deep';

/** A parameter of the URL. */
export interface ParameterFacts {
  /** Its effect: a sentence without a full stop. */
  readonly summary: string;
  /** The schema of its values, or the part of a query that it represents. */
  readonly schema: v.GenericSchema | QueryPart;
  /** The syntax of a composite value: JSON text, or a list with commas. */
  readonly spelling?: 'json' | 'list';
  /** It applies to lists, and has no effect on a single item. */
  readonly ofLists?: true;
}

export type ParameterTable = Readonly<Record<string, ParameterFacts>>;

/** A header of a request that changes the behavior of a route. */
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

/** A permission that allows a caller to use a route; `path`: on the collection in the path. */
export interface RequiredRight {
  readonly action: Action;
  readonly collection: string;
}

/** The items of a route whose schema the catalog defines. */
export interface ItemFacts {
  readonly form: ItemForm;
  /** Null when the path contains it. */
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

/** All facts of a route except its logic. */
export interface RouteFacts {
  readonly method: Method;
  /**
   * Segments between slashes are literal, or `:name` for any one segment; a final `*` matches the
   * rest.
   */
  readonly path: string;
  /** Its effect: a sentence without a full stop. */
  readonly summary: string;
  readonly access: RouteAccess;
  /** Any of these permissions allows callers to use it; only with access `rights`. */
  readonly needs?: readonly RequiredRight[];
  /** The parameters of the URL besides `access_token`; empty by default. */
  readonly parameters?: ParameterTable;
  /** The headers that it evaluates, besides those of every route. */
  readonly headers?: readonly RequestHeader[];
  readonly items?: ItemFacts;
  /** Null when it has no body. */
  readonly body: BodyFacts | null;
  /** The media type of a raw binary body, instead of a form. */
  readonly bytes?: 'application/offset+octet-stream';
  readonly answer: AnswerFacts;
  /** Its error codes, besides those that follow from the other facts. */
  readonly errors?: readonly ErrorCode[];
  /** Why descriptions of the API omit it. */
  readonly leftOut?: string;
  /** Its method is GET, but it serves only HEAD. */
  readonly headOnly?: true;
  /** A strict rate limit per address, in addition to those of every route. */
  readonly limit?: StrictName;
  /**
   * The session cookie does not identify the caller. The handler reads cookies itself, and an
   * expired cookie must not prevent a login.
   */
  readonly ignoresSession?: true;
  /** Allowed for callers who must first set up a second factor. */
  readonly beforeSecondFactor?: true;
  /** Further headers of the response to OPTIONS. */
  readonly options?: (config: Config) => Readonly<Record<string, string>>;
  /** Other methods on its path result in METHOD_NOT_ALLOWED, as GraphQL over HTTP requires. */
  readonly namesMethods?: true;
  /** Also available while this process has no lease. */
  readonly whileBehind?: true;
  /** Its logic: a function runs after all checks; any other value is sent without checks. */
  readonly handle: unknown;
}
