/** The table of all routes of the REST API, collected from one file for each resource. */

import { useRoutes } from '#edge/graphql/rest-bridge.ts';
import { GRAPHQL_ROUTES } from '#edge/graphql/route.ts';
import type { Request } from '#edge/http/request.ts';
import { Router, routeNotFound } from '#edge/http/router.ts';
import { API_PAGE_ROUTES } from '#edge/openapi/page.ts';
import type { EdgeServices } from '#edge/services.ts';
import { ADMIN_APP_ROUTES } from '#edge/static/admin-app.ts';
import { DOCS_ROUTES } from '#edge/static/docs.ts';
import { ROOT_ROUTES } from '#edge/static/root-routes.ts';
import { ACCOUNT_LINK_ROUTES } from './account-link.ts';
import { ASSET_ROUTES } from './asset.ts';
import { AUTH_ROUTES } from './auth.ts';
import { COLLECTION_ROUTES } from './collection.ts';
import { dispatch } from './dispatch.ts';
import { EXPORT_ROUTES } from './export-file.ts';
import { FIELD_ROUTES } from './field.ts';
import { FILE_ROUTES } from './file.ts';
import { GRAPHQL_SCHEMA_ROUTES } from './graphql-schema.ts';
import { IMPORT_ROUTES } from './import.ts';
import { INVITATION_ROUTES } from './invitation.ts';
import { ITEM_ROUTES } from './item.ts';
import { JOB_ROUTES } from './job.ts';
import { openApiRoutes } from './openapi.ts';
import { OWN_ACCOUNT_ROUTES } from './own-account.ts';
import { PERMISSION_ROUTES } from './own-permissions.ts';
import { OWN_SESSION_ROUTES } from './own-session.ts';
import { PASSWORD_RESET_ROUTES } from './password-reset.ts';
import { QUEUE_ROUTES } from './queue.ts';
import { REGISTRATION_ROUTES } from './registration.ts';
import { RELATION_ROUTES } from './relation.ts';
import type { RouteEntry } from './route.ts';
import { SCHEMA_ROUTES } from './schema.ts';
import { SERVER_ROUTES } from './server-status.ts';
import { SYSTEM_ROUTES } from './system-collections.ts';
import { TUS_ROUTES } from './tus.ts';
import { TWO_FACTOR_ROUTES } from './two-factor.ts';
import { UTILITY_ROUTES } from './utility.ts';

export const ROUTES: readonly RouteEntry[] = [
  ...SERVER_ROUTES,
  ...AUTH_ROUTES,
  ...PASSWORD_RESET_ROUTES,
  ...REGISTRATION_ROUTES,
  ...ACCOUNT_LINK_ROUTES,
  ...INVITATION_ROUTES,
  ...TWO_FACTOR_ROUTES,
  ...OWN_ACCOUNT_ROUTES,
  ...OWN_SESSION_ROUTES,
  ...PERMISSION_ROUTES,
  ...ITEM_ROUTES,
  ...SYSTEM_ROUTES,
  ...FILE_ROUTES,
  ...ASSET_ROUTES,
  ...TUS_ROUTES,
  ...COLLECTION_ROUTES,
  ...FIELD_ROUTES,
  ...RELATION_ROUTES,
  ...SCHEMA_ROUTES,
  ...IMPORT_ROUTES,
  ...EXPORT_ROUTES,
  ...JOB_ROUTES,
  ...QUEUE_ROUTES,
  ...UTILITY_ROUTES,
  ...GRAPHQL_ROUTES,
  ...GRAPHQL_SCHEMA_ROUTES,
  ...ROOT_ROUTES,
  ...ADMIN_APP_ROUTES,
  ...API_PAGE_ROUTES,
  ...DOCS_ROUTES,
  ...openApiRoutes(() => ROUTES),
];

const uncheckedPaths = ROUTES.filter(
  ({ handle }) => typeof handle !== 'function' && 'unchecked' in handle,
).map(({ path }) => path);
const uncheckedOnes = new Set(uncheckedPaths.filter((path) => !path.endsWith('*')));
const uncheckedBelow = uncheckedPaths
  .filter((path) => path.endsWith('*'))
  .map((path) => path.slice(0, -1));

/**
 * Whether a request is for a file that is the same for all callers; rate limits do not count it.
 */
export function isStaticRequest({ path }: Pick<Request, 'path'>): boolean {
  return uncheckedOnes.has(path) || uncheckedBelow.some((start) => path.startsWith(start));
}

/** The router of the table. An invalid token is refused even for an unknown path. */
export function openRouter(services: EdgeServices): Router {
  const routes = ROUTES.map((entry) => ({
    method: entry.method,
    path: entry.path,
    route: dispatch(entry, services),
    options: entry.options?.(services.config),
    namesMethods: entry.namesMethods,
  }));
  const otherwise = dispatch(
    {
      access: 'anyone',
      handle: async ({ request }) => {
        throw routeNotFound(request);
      },
    },
    services,
  );
  const router = new Router(routes, otherwise);
  useRoutes(services, router.handle);
  return router;
}
