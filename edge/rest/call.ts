/** A request of a known caller, and what handlers read from it and answer it with. */
import type { Caller } from '#core/access/grants.ts';
import type { Visitor } from '#core/identity/session.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import type { TextAnswer } from '#core/services/item-reader.ts';
import type { UnparsedQuery } from '#core/services/statement-cache.ts';
import { cacheHeaders } from '#edge/cache/cache-headers.ts';
import type { Request } from '#edge/http/request.ts';
import type { Pieces, Response } from '#edge/http/response.ts';
import type { Params } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import type { StreamFacts } from '#edge/streams/open-streams.ts';
import { parametersOf } from './query-parameters.ts';

/** What a {@link Call} is made of. */
export type CallFacts = Omit<Call, 'parameters'>;

/** One request of a known caller. */
export class Call {
  readonly request: Request;
  readonly params: Params;
  readonly caller: Caller;
  /** Address of the client; null when the connection is gone. */
  readonly ip: string | null;
  /** What nobody knows of the request is refused instead of passed over. */
  readonly strict: boolean;
  readonly services: EdgeServices;
  /** When it came in, on the clock of `performance.now()`. */
  readonly since: number;
  /** The token that it carries, wherever. */
  readonly token: string | null;
  #parameters: Parameters | null;

  /** @param parameters those of the query string, if they are unfolded already */
  constructor(facts: CallFacts, parameters: Parameters | null) {
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

  /** Those of the query string, unfolded when first asked for. */
  get parameters(): Parameters {
    this.#parameters ??= parametersOf(this.request.query);
    return this.#parameters;
  }
}

export type CallHandler = (call: Call) => Promise<Response>;

/** What is noted of the client of a call. */
export function visitorOf({ request, ip }: Call): Visitor {
  return {
    ip,
    userAgent: request.header('user-agent') ?? null,
    origin: request.header('origin') ?? null,
  };
}

/** A named part of the path; routes are only reached when it is there. */
export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}

/** The last segment of the path as it was sent, percent-encoded. */
export function lastSegment(call: Call): string {
  const path = call.request.path.replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The query that the URL asks. */
export function queryOf(call: Call): Query {
  return parsed(call, call.parameters);
}

/**
 * The query that parameters ask, from wherever they come.
 * @param typed those that come from a JSON body
 */
export function parsed(
  { services, strict }: Call,
  parameters: Parameters,
  typed: Parameters = {},
): Query {
  return parseQuery(parameters, services.bounds, { strict, beside: ['access_token'], typed });
}

/**
 * The same, parsed only when its statement is not known yet. A token makes no question, and what is
 * read strictly is parsed each time.
 */
export function questionOfUrl(call: Call): UnparsedQuery {
  const { query } = call.request;
  const text = call.strict || query.includes('token') ? null : query;
  return { text, query: () => queryOf(call) };
}

/** 200 with a JSON text that is ready. */
export function jsonText(text: string): Response {
  return { status: 200, body: text };
}

/** 200 with the answer of a read, and what caches may make of it. */
export function readText({ services, request, caller }: Call, answer: TextAnswer): Response {
  const headers = cacheHeaders(services.config, request, caller, answer);
  return { status: 200, body: answer.text, ...(headers === undefined ? {} : { headers }) };
}

/** The pieces of an answer, where those who may end it find it. */
export function listed(
  { request, caller, services, since, token }: Call,
  facts: Pick<StreamFacts, 'kind' | 'collection'>,
  body: Pieces,
): Pieces {
  const again = () => services.identity.again(caller, token);
  return services.streams.listed(request, { ...facts, caller, since, again }, body);
}

/** 200 with `{ data }`. */
export function data(value: unknown): Response {
  return { status: 200, body: JSON.stringify({ data: value }) };
}

/** 200 with `{ data }` that is a secret, or is made of one, and nobody keeps. */
export function secret(value: unknown): Response {
  return { ...data(value), headers: { 'Cache-Control': 'no-store' } };
}

export const NO_CONTENT: Response = Object.freeze({ status: 204 });
