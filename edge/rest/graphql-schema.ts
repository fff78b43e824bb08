/** The GraphQL schema as text: `/server/specs/graphql` and `/server/specs/graphql/system`. */
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Scope } from '#edge/graphql/schema.ts';
import type { CallHandler } from './call.ts';
import type { RouteEntry } from './route.ts';

function handler(scope: Scope): CallHandler {
  return async ({ services, caller, request }) => {
    const { catalog, access, config, introspection } = services;
    if (!config.GRAPHQL_INTROSPECTION) {
      throw new ServiceError('ROUTE_NOT_FOUND', { path: request.path });
    }
    const rights = await access.rightsOf(caller);
    const known = { catalog: catalog.current(), rights };
    const text = (await introspection.ask(known, scope, { kind: 'text' })).get('text') ?? '';
    const name = scope === 'items' ? 'items' : 'system';
    return {
      status: 200,
      headers: {
        'Content-Type': 'application/graphql; charset=utf-8',
        'Content-Disposition': `attachment; filename="${name}.graphql"`,
      },
      body: text,
    };
  };
}

function route(path: string, scope: Scope, of: string): RouteEntry {
  return {
    ...{ method: 'GET', path, summary: `Reads the schema of GraphQL of ${of}`, access: 'anyone' },
    ...{ body: null, answer: { statuses: [200], type: 'application/graphql' } },
    errors: ['ROUTE_NOT_FOUND'],
    handle: handler(scope),
  };
}

export const GRAPHQL_SCHEMA_ROUTES: readonly RouteEntry[] = [
  route('/server/specs/graphql', 'items', 'the collections'),
  route('/server/specs/graphql/items', 'items', 'the collections'),
  route('/server/specs/graphql/system', 'system', 'the system collections'),
];
