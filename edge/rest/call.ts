/** An authenticated request: the data for handlers, and functions that create their responses. */
import type { Caller } from '#core/access/grants.ts';
import type { Visitor } from '#core/accounts/identity/session.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { EncodedText } from '#core/services/envelope.ts';
import type { TextAnswer } from '#core/services/item-reader.ts';
import { cacheHeaders } from '#edge/cache/cache-headers.ts';
import type { Request } from '#edge/http/request.ts';
import type { Pieces, Response } from '#edge/http/response.ts';
import type { Params } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import type { StreamFacts } from '#edge/streams/open-streams.ts';
import { parseQueryString } from './query-parameters.ts';

/** The parts of a {@link Call}. */
export type CallParts = Omit<Call, 'parameters'>;

/** One request whose caller is determined. */
export class Call {
  readonly request: Request;
  readonly params: Params;
  readonly caller: Caller;
  /** The client's address; null when the connection is closed. */
  readonly ip: string | null;
  /** Unknown parameters and members are refused instead of ignored. */
  readonly strict: boolean;
  readonly services: EdgeServices;
  /** When the request arrived, by `performance.now()`. */
  readonly since: number;
  /** The token of the request, regardless of where it was sent. */
  readonly token: string | null;
  #parameters: Parameters | null;

  /** @param parameters of the query string, if already parsed */
  constructor(facts: CallParts, parameters: Parameters | null) {
    this.request = facts.request;
    this.params = facts.params;
    this.caller = facts.caller;
    this.ip = facts.ip;
    this.strict = facts.strict;
    this.services = facts.services;
    this.since = facts.since;
    this.token = facts.token;
    this.#parameters = parameters;
  }

  /** The parameters of the query string, parsed on first use. */
  get parameters(): Parameters {
    this.#parameters ??= parseQueryString(this.request.query);
    return this.#parameters;
  }
}

export type CallHandler = (call: Call) => Promise<Response>;

/** The client data that history and sessions record. */
export function visitorOf({ request, ip }: Call): Visitor {
  return {
    ip,
    userAgent: request.header('user-agent') ?? null,
    origin: request.header('origin') ?? null,
  };
}

/** A path parameter; the route matches only when it exists. */
export function pathParameter(call: Call, name: string): string {
  return call.params[name] ?? '';
}

/** The last segment of the path as it was sent, percent-encoded. */
export function lastSegment(call: Call): string {
  const path = call.request.path.replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The query in the URL. */
export function parseUrlQuery(call: Call): Query {
  return parseParameters(call, call.parameters);
}

/**
 * The query in parameters from any source.
 * @param typed parameters that come from a JSON body
 */
export function parseParameters(
  { services, strict }: Call,
  parameters: Parameters,
  typed: Parameters = {},
): Query {
  return parseQuery(parameters, services.bounds, { strict, beside: ['access_token'], typed });
}

/**
 * Like {@link parseUrlQuery}, but parsed only when its statement is not cached. A token is not part
 * of the query, so a URL with one is always parsed. Strict handling also always parses it.
 */
export function unparsedUrlQuery(call: Call): UnparsedQuery {
  const { query } = call.request;
  const text = call.strict || query.includes('token') ? null : query;
  return { text, query: () => parseUrlQuery(call) };
}

/** 200 with a JSON text. */
export function jsonTextResponse(text: EncodedText): Response {
  return { status: 200, body: typeof text === 'string' ? text : text.bytes };
}

/** 200 with the response to a read, and its cache headers. */
export function readResponse({ services, request, caller }: Call, answer: TextAnswer): Response {
  const headers = cacheHeaders(services.config, request, caller, answer);
  const { text: body, release } = answer;
  if (headers === undefined) return { status: 200, body, release };
  return { status: 200, body, release, headers };
}

/** The pieces of a response, registered so that revoking a permission ends it. */
export function registeredStream(
  { request, caller, services, since, token }: Call,
  facts: Pick<StreamFacts, 'kind' | 'collection'>,
  body: Pieces,
): Pieces {
  const again = () => services.identity.again(caller, token);
  return services.streams.listed(request, { ...facts, caller, since, again }, body);
}

/** 200 with `{ data }`. */
export function dataResponse(value: unknown): Response {
  return { status: 200, body: JSON.stringify({ data: value }) };
}

/** 200 with `{ data }` that is secret or derived from a secret, so no cache may store it. */
export function secretResponse(value: unknown): Response {
  return { ...dataResponse(value), headers: { 'Cache-Control': 'no-store' } };
}

export const NO_CONTENT: Response = Object.freeze({ status: 204 });
