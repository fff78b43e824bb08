/** What a route says of itself: the router, the checks before a handler and the documents derive from it. */
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
 * Who may call a route. `anyone`; `user`: logged-in callers, others get FORBIDDEN; `account`: the
 * same for routes about the caller's own account, others get INVALID_CREDENTIALS; `administrator`;
 * `rights`: callers with permissions, as the service decides.
 */
export type RouteAccess = 'anyone' | 'user' | 'account' | 'administrator' | 'rights';

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
export interface RequiredRight {
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

/** Everything about a route except its work. */
export interface RouteFacts {
  readonly method: Method;
  /** Parts between slashes are literal, or `:name` for any one part; a final `*` is the rest. */
  readonly path: string;
  /** What it does: a sentence without its full stop. */
  readonly summary: string;
  readonly access: RouteAccess;
  /** Any of these rights lets callers use it; only with access `rights`. */
  readonly needs?: readonly RequiredRight[];
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
  /** Other methods on its path are METHOD_NOT_ALLOWED, as GraphQL over HTTP has it. */
  readonly namesMethods?: true;
  /** Works also while this process has no lease. */
  readonly whileBehind?: true;
  /** Its work: a function runs behind all checks, anything else is sent without any. */
  readonly handle: unknown;
}
