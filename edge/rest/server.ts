/** The routes about the server itself: `/server/ping` and `/server/health`. */
import type { CallHandler } from './call.ts';
import type { RouteEntry } from './route.ts';

/** The status is anybody's; what it rests on is for admins. */
const health: CallHandler = async ({ caller, services }) => {
  const found = await services.health.check();
  return {
    status: found.status === 'error' ? 503 : 200,
    headers: { 'Content-Type': 'application/health+json' },
    body: JSON.stringify(caller.admin ? found : { status: found.status }),
  };
};

export const SERVER_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/server/ping',
    summary: 'Answers that the server is there; no token is looked at',
    access: 'anyone',
    body: null,
    answer: { statuses: [200], type: 'text/html' },
    handle: {
      status: 200,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
      body: 'pong',
    },
  },
  {
    method: 'GET',
    path: '/server/health',
    summary: 'Tells how the server is; details to administrators',
    access: 'anyone',
    body: null,
    answer: { statuses: [200, 503], type: 'application/health+json' },
    beforeSecondFactor: true,
    whileBehind: true,
    handle: health,
  },
];
