/** The routes about the server itself: `/server/ping` and `/server/health`. */
import { type Router, routeNotFound } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, routesOf, tirelessRoutesOf } from './call.ts';

/** The status is anybody's; what it rests on is for admins. */
const health: CallHandler = async ({ caller, services }) => {
  const found = await services.health.check();
  return {
    status: found.status === 'error' ? 503 : 200,
    headers: { 'Content-Type': 'application/health+json' },
    body: JSON.stringify(caller.admin ? found : { status: found.status }),
  };
};

/** A bad token is told even where there is nothing; only ping looks at none. */
const nothing: CallHandler = async ({ request }) => {
  throw routeNotFound(request);
};

export function addServerRoutes(router: Router, services: EdgeServices): void {
  router.add('GET', '/server/ping', () => ({
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: 'pong',
  }));
  router.add('GET', '/server/health', tirelessRoutesOf(services)(health));
  router.otherwise(routesOf(services)(nothing));
}
