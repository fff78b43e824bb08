/** The error responses of a route, from its entry in the route table. */
import { catalogue, type ErrorCode } from '#core/base/errors/catalogue.ts';
import type { RouteFacts } from '#edge/rest/route-facts.ts';
import { type JsonSchema, listOf, oneOf, refTo, TEXT } from './json-schema.ts';

/** Every request can be refused with these errors before its route begins. */
const ALWAYS: readonly ErrorCode[] = [
  ...(['INVALID_QUERY', 'INVALID_PAYLOAD', 'INVALID_CREDENTIALS', 'INVALID_IP'] as const),
  ...(['TOKEN_EXPIRED', 'FORBIDDEN', 'ROUTE_NOT_FOUND', 'REQUESTS_EXCEEDED'] as const),
  ...(['HEADERS_TOO_LARGE', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const),
];
const OF_BODIES: readonly ErrorCode[] = ['CONTENT_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const OF_JOBS: readonly ErrorCode[] = ['CONFLICT', 'OUT_OF_TIME', 'UNPROCESSABLE_ENTITY'];

/** The possible error codes of a route, in the order of the catalogue. */
function codesOf(entry: RouteFacts): readonly ErrorCode[] {
  const { handle, method, body, bytes, answer, items, errors = [] } = entry;
  // Such a response is sent without any check.
  if (typeof handle !== 'function') return ['HEADERS_TOO_LARGE'];
  const found = new Set<ErrorCode>([...ALWAYS, ...errors]);
  const add = (codes: readonly ErrorCode[]) => {
    for (const code of codes) found.add(code);
  };
  if (body !== null || bytes !== undefined) add(OF_BODIES);
  // A session cookie requires a body type.
  if (method !== 'GET') add(['UNSUPPORTED_MEDIA_TYPE']);
  if (items !== undefined) add(['CONTENT_TOO_LARGE']);
  if (answer.job === true) add(OF_JOBS);
  return codes().filter((code) => found.has(code));
}

function codes(): readonly ErrorCode[] {
  return Object.keys(catalogue).filter((name): name is ErrorCode => name in catalogue);
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  503: 'Unavailable',
};

const RETRIES: ReadonlySet<number> = new Set([429, 503]);

/** The parameters of a reason, by name. */
const PARAMETERS: JsonSchema = {
  type: 'object',
  additionalProperties: { type: ['string', 'number'] },
};

function errorSchema(own: readonly ErrorCode[]): JsonSchema {
  const extensions = {
    type: 'object',
    properties: {
      code: oneOf(own),
      reason: TEXT,
      reason_code: TEXT,
      reason_parameters: PARAMETERS,
    },
    required: ['code'],
  };
  const error = {
    type: 'object',
    properties: { message: TEXT, extensions },
    required: ['message', 'extensions'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { errors: { ...listOf(error), minItems: 1 } },
    required: ['errors'],
    additionalProperties: false,
  };
}

function responseOf(status: number, own: readonly ErrorCode[]): JsonSchema {
  const retry = { description: 'Seconds to wait', schema: { type: 'integer' } };
  return {
    description: own.map((code) => `${code}: ${catalogue[code].message}`).join(' '),
    ...(RETRIES.has(status) ? { headers: { 'Retry-After': retry } } : {}),
    content: { 'application/json': { schema: errorSchema(own) } },
  };
}

/** All error responses: statuses with the same set of codes share one response. */
export class ErrorAnswers {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<number, number>();
  readonly #known = new WeakMap<RouteFacts, Readonly<Record<string, JsonSchema>>>();
  readonly #schemas: Record<string, JsonSchema> = {};

  /** @param routes all routes, so that names do not depend on the caller */
  constructor(routes: readonly RouteFacts[]) {
    for (const entry of routes) this.of(entry);
  }

  /** References to the error responses of a route, by status. */
  of(entry: RouteFacts): Readonly<Record<string, JsonSchema>> {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const byStatus = Map.groupBy(codesOf(entry), (code) => catalogue[code].status);
    const made = Object.fromEntries(
      [...byStatus].map(([status, own]) => [status, refTo('responses', this.#name(status, own))]),
    );
    this.#known.set(entry, made);
    return made;
  }

  #name(status: number, own: readonly ErrorCode[]): string {
    const key = own.join(' ');
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(status) ?? 0) + 1;
    this.#counts.set(status, count);
    const name = `${NAMES[status] ?? `Status${status}`}${count === 1 ? '' : count}`;
    this.#names.set(key, name);
    this.#schemas[name] = responseOf(status, own);
    return name;
  }

  /** The error responses by name. */
  get responses(): Readonly<Record<string, JsonSchema>> {
    return this.#schemas;
  }
}
