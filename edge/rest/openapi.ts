/** The machine-readable description of the API: `GET /server/specs/oas` (OpenAPI 3.1). */
import * as v from 'valibot';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { codingFor } from '#edge/http/compression.ts';
import { namesTag } from '#edge/http/entity-tag.ts';
import type { CallHandler } from './call.ts';
import { JSON_ANSWER, type RouteEntry } from './route.ts';

/** @param routes all routes; available by the time of the first request */
export function openApiRoutes(routes: () => readonly RouteEntry[]): readonly RouteEntry[] {
  const read: CallHandler = async ({ services, caller, request }) => {
    const { access, catalog, config, apiDocuments } = services;
    if (!config.OPENAPI_ENABLED) throw new ServiceError('ROUTE_NOT_FOUND', { path: request.path });
    const rights = await access.rightsOf(caller);
    const reader = { catalog: catalog.current(), rights, user: caller.user !== null };
    const document = await apiDocuments.of(routes(), reader);
    const { tag, bytes } = document;
    const headers = {
      ...{ 'Content-Type': 'application/json; charset=utf-8', ETag: tag },
      ...{ 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' },
    };
    const known = request.header('if-none-match');
    if (known !== undefined && namesTag(known, tag)) return { status: 304, headers };
    const coding = config.COMPRESSION ? codingFor(request) : null;
    if (coding === null) return { status: 200, headers, body: bytes };
    const body = await document.coded(coding);
    return { status: 200, headers: { ...headers, 'Content-Encoding': coding }, body };
  };
  return [
    {
      method: 'GET',
      path: '/server/specs/oas',
      summary: 'Describes what the caller may use (OpenAPI 3.1)',
      access: 'anyone',
      body: null,
      answer: { ...JSON_ANSWER, schema: v.looseObject({ openapi: v.literal('3.1.0') }) },
      handle: read,
    },
  ];
}
