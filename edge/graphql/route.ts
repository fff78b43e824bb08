/**
 * `/graphql` and `/graphql/system` over HTTP (GraphQL over HTTP, draft of the GraphQL Foundation).
 * The accepted media type determines the status of a request that is not executed.
 */
import { GraphQLError } from 'graphql';
import Negotiator from 'negotiator';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import type { Call, CallHandler } from '#edge/rest/call.ts';
import { JSON_ANSWER, jsonBody, type RouteEntry } from '#edge/rest/route.ts';
import type { ParameterTable } from '#edge/rest/route-facts.ts';
import { execute, type GraphRequest } from './execute.ts';
import { acceptsHtml, EXPLORER_ROUTES, explorerPage } from './explorer-page.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import type { Scope } from './schema.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

/** The parameters of a request, from its URL or its body. */
const parameters = v.object({
  query: v.string('must be a text'),
  operationName: v.nullish(v.string('must be a text'), null),
  variables: v.nullish(v.record(v.string(), v.unknown(), 'must be an object'), null),
  extensions: v.nullish(v.record(v.string(), v.unknown(), 'must be an object'), null),
});

/** Responses are always in UTF-8, so the parameter is ignored. */
const CHARSET = /;\s*charset="?utf-?8"?/gi;

function typeOf(request: Request): string {
  const accept = (request.header('accept') ?? '*/*').replace(CHARSET, '');
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, GRAPHQL_TYPE]);
  return best ?? JSON_TYPE;
}

function parsedRequest(value: unknown, persisted: PersistedDocuments): GraphRequest {
  if (!isJsonObject(value)) throw invalidPayload(reason('graphql_query_missing'));
  const sent = typeof value.query === 'string' ? value.query : undefined;
  const query =
    value.query === undefined || sent !== undefined
      ? persisted.resolve(sent, value.extensions)
      : value.query;
  if (query === undefined) throw invalidPayload(reason('graphql_document_expected'));
  const { issues, output } = v.safeParse(parameters, { ...value, query });
  if (issues === undefined) return output;
  const [issue] = issues;
  const path = v.getDotPath(issue) ?? 'body';
  throw invalidPayload(reason('member_invalid', { path, issue: issue.message }));
}

function jsonOf(name: string, text: unknown): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(String(text));
  } catch {
    throw invalidQuery(reason('member_json_expected', { name }));
  }
}

async function requestOf(call: Call): Promise<GraphRequest> {
  const { request, services } = call;
  const { persisted } = services.documents;
  if (request.method !== 'POST') {
    const search = new URLSearchParams(request.query);
    const text = (name: string) => search.get(name) ?? undefined;
    const given = {
      ...{ query: text('query'), operationName: text('operationName') },
      variables: jsonOf('variables', text('variables')),
      extensions: jsonOf('extensions', text('extensions')),
    };
    return parsedRequest(given, persisted);
  }
  const type = request.header('content-type');
  if (type === undefined) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      reason: reason('graphql_body_type', { type: JSON_TYPE }),
    });
  }
  const limit = services.config.QUERY_BODY_MAX_SIZE;
  const value = await request.body.json({ bytes: limit, variable: 'QUERY_BODY_MAX_SIZE' });
  return parsedRequest(value, persisted);
}

/** The errors of a request that was not executed. */
function refusal(errors: readonly GraphQLError[], type: string): Response {
  const entries = errors.map((error) => {
    const { message, locations, extensions } = error.toJSON();
    const details = { code: 'GRAPHQL_VALIDATION', ...extensions };
    return { message, ...(locations === undefined ? {} : { locations }), extensions: details };
  });
  return {
    status: type === JSON_TYPE ? 200 : 400,
    headers: { 'Content-Type': `${type}; charset=utf-8` },
    body: JSON.stringify({ errors: entries }),
  };
}

function handler(scope: Scope): CallHandler {
  return async (call) => {
    const { request, services, caller } = call;
    if (services.config.GRAPHQL_PAGE && acceptsHtml(request)) return await explorerPage(scope);
    const type = typeOf(request);
    let asked: GraphRequest;
    try {
      asked = await requestOf(call);
    } catch (error) {
      if (error instanceof GraphQLError) return refusal([error], type);
      throw error;
    }
    const known = {
      catalog: services.catalog.current(),
      rights: await services.access.rightsOf(caller),
    };
    const outcome = await execute(call, services.documents, scope, asked, known);
    const headers = { 'Content-Type': `${type}; charset=utf-8` };
    switch (outcome.kind) {
      case 'refused':
        return refusal(outcome.errors, type);
      case 'unsafe':
        throw new ServiceError(
          'METHOD_NOT_ALLOWED',
          { allowed: ['POST'], current: 'GET' },
          { headers: { Allow: 'POST' } },
        );
      case 'text':
        return {
          status: 200,
          headers: outcome.secret ? { ...headers, 'Cache-Control': 'no-store' } : headers,
          body: outcome.text,
          release: outcome.release,
          ...(outcome.done === true ? { done: true } : {}),
        };
      case 'stream':
        return { status: 200, headers, body: outcome.pieces };
    }
  };
}

/** The parameters of a GET; objects are JSON texts there. */
const PARAMETERS: ParameterTable = {
  query: { summary: 'The document', schema: v.pipe(v.string(), v.nonEmpty()) },
  operationName: { summary: 'Which operation of it', schema: v.string() },
  variables: {
    summary: 'The values of its variables',
    schema: v.record(v.string(), v.unknown()),
    spelling: 'json',
  },
  extensions: {
    summary: 'Such as the hash of a persisted document',
    schema: v.record(v.string(), v.unknown()),
    spelling: 'json',
  },
};

/** The result of an operation: data, errors, or both. */
const result = v.strictObject({
  data: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
  errors: v.optional(
    v.array(
      v.looseObject({
        message: v.string(),
        extensions: v.optional(v.looseObject({ code: v.string() })),
      }),
    ),
  ),
});

const body = v.object({
  query: v.optional(v.string()),
  operationName: v.nullish(v.string()),
  variables: v.nullish(v.record(v.string(), v.unknown())),
  extensions: v.nullish(v.record(v.string(), v.unknown())),
});

function routes(path: string, scope: Scope, of: string): readonly RouteEntry[] {
  const handle = handler(scope);
  const summary = `Executes an operation of GraphQL on ${of}`;
  const answer = { ...JSON_ANSWER, schema: result };
  const namesMethods = true;
  return [
    {
      ...{ method: 'GET', path, summary, access: 'anyone', body: null, answer, handle },
      namesMethods,
      parameters: PARAMETERS,
      errors: ['METHOD_NOT_ALLOWED'],
    },
    {
      ...{ method: 'POST', path, summary, access: 'anyone', answer, handle, namesMethods },
      body: jsonBody(body, 'QUERY_BODY_MAX_SIZE'),
    },
  ];
}

export const GRAPHQL_ROUTES: readonly RouteEntry[] = [
  ...EXPLORER_ROUTES,
  ...routes('/graphql', 'items', 'the collections'),
  ...routes('/graphql/system', 'system', 'the system collections'),
];
