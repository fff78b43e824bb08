/** What every route needs first: the parameters of a request and who sends it. */
import type { Caller } from '#core/access/grants.ts';
import { forbidden } from '#core/errors/service-error.ts';
import type { Visitor } from '#core/identity/session.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import type { TextAnswer } from '#core/services/item-reader.ts';
import type { Question } from '#core/services/question.ts';
import { cacheHeaders } from '#edge/cache/header.ts';
import { clientIpBy } from '#edge/http/client-ip.ts';
import type { Request } from '#edge/http/request.ts';
import type { Pieces, Response } from '#edge/http/response.ts';
import type { Params, Route } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import type { StreamFacts } from '#edge/streams/open-streams.ts';
import { cookieOf } from './cookie.ts';
import { callerByCookie, tokenOf } from './credential.ts';
import { parametersOf } from './parameter.ts';
import { prefersStrict, requireKnownParameters } from './preference.ts';

/** One request of a known caller. */
export interface Call {
  readonly request: Request;
  readonly params: Params;
  /** Those of the query string, unfolded when first asked for. */
  readonly parameters: Parameters;
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
}

export type CallHandler = (call: Call) => Promise<Response>;

class RequestCall implements Call {
  readonly request: Request;
  readonly params: Params;
  readonly caller: Caller;
  readonly ip: string | null;
  readonly strict: boolean;
  readonly services: EdgeServices;
  readonly since: number;
  readonly token: string | null;
  #parameters: Parameters | null;

  constructor(from: Omit<Call, 'parameters'>, parameters: Parameters | null) {
    this.request = from.request;
    this.params = from.params;
    this.caller = from.caller;
    this.ip = from.ip;
    this.strict = from.strict;
    this.services = from.services;
    this.since = from.since;
    this.token = from.token;
    this.#parameters = parameters;
  }

  get parameters(): Parameters {
    this.#parameters ??= parametersOf(this.request.query);
    return this.#parameters;
  }
}

const SECOND_FACTOR_FIRST =
  'A policy demands a second factor: POST /users/me/tfa/generate and /users/me/tfa/enable set it up.';

/** `known` are the parameters that the handler takes from the URL. */
type Routing = (handler: CallHandler, known?: readonly string[]) => Route;

interface RoutingOptions {
  /** The session cookie tells who sends a request that has no other token. */
  readonly byCookie: boolean;
  /** Also while this process may be behind the others. */
  readonly always?: boolean;
  /** Also for who has to set up a second factor first. */
  readonly withoutSecondFactor?: boolean;
}

function routing(services: EdgeServices, options: RoutingOptions): Routing {
  const { byCookie, always = false, withoutSecondFactor = false } = options;
  const { catalog, config, identity } = services;
  const ipOf = clientIpBy(config.IP_TRUST_PROXY);
  return (handler, known = []) =>
    async (request, params) => {
      const since = performance.now();
      if (!catalog.ready() && !always) await catalog.regain();
      const mayHoldToken = request.query.includes('token');
      const parameters = mayHoldToken ? parametersOf(request.query) : null;
      const ip = ipOf(request);
      const sent = tokenOf(request.header('authorization'), parameters ?? {});
      const token = sent ?? (byCookie ? cookieOf(request, config, 'session') : null);
      const caller =
        sent === null && byCookie
          ? await callerByCookie(request, services, ip)
          : await identity.authenticate(sent, ip);
      if (caller.admin) request.revealErrors();
      await services.limits.identify(request, caller);
      if (caller.lacksSecondFactor && !withoutSecondFactor) throw forbidden(SECOND_FACTOR_FIRST);
      const strict = prefersStrict(request);
      const facts = { request, params, caller, ip, strict, services, since, token };
      const call = new RequestCall(facts, parameters);
      if (strict) requireKnownParameters(request, call.parameters, known);
      return handler(call);
    };
}

/** Makes routes whose handlers get a {@link Call}; a bad token ends the request before them. */
export function routesOf(services: EdgeServices): Routing {
  return routing(services, { byCookie: true });
}

/** The same for what who lacks a second factor that a policy demands may do, to set it up. */
export function setUpRoutesOf(services: EdgeServices): Routing {
  return routing(services, { byCookie: true, withoutSecondFactor: true });
}

/** The same for what has to be answered even by a process that lost contact with the others. */
export function tirelessRoutesOf(services: EdgeServices): Routing {
  return routing(services, { byCookie: true, always: true, withoutSecondFactor: true });
}

/**
 * Makes routes by which callers come and go, and whose handlers read cookies themselves: one that
 * does not count any more must not keep anybody from signing in.
 */
export function entranceRoutesOf(services: EdgeServices): Routing {
  return routing(services, { byCookie: false });
}

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
export function questionOfUrl(call: Call): Question {
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

export const NO_CONTENT: Response = Object.freeze({ status: 204 });
