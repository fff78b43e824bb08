/** The routes about the server itself: `/server/ping`, `/server/info` and `/server/health`. */
import { healthSchema, projectSchema } from './answer/server.ts';
import { type CallHandler, dataResponse } from './call.ts';
import { dataAnswer, type RouteEntry } from './route.ts';

/** All callers see the status; administrators see the details. */
const health: CallHandler = async ({ caller, services }) => {
  const found = await services.health.check();
  const isOut = found.status === 'error';
  return {
    status: isOut ? 503 : 200,
    headers: {
      'Content-Type': 'application/health+json',
      ...(isOut ? { 'Retry-After': '1' } : {}),
    },
    body: JSON.stringify(caller.admin ? found : { status: found.status }),
  };
};

const info: CallHandler = async ({ caller, services }) =>
  dataResponse(await services.info.read(caller));

export const SERVER_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/server/ping',
    summary: 'Answers pong; ignores tokens',
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
    path: '/server/info',
    summary: 'Reads the public settings of the project; users see limits and version',
    access: 'anyone',
    body: null,
    answer: dataAnswer(projectSchema),
    handle: info,
  },
  {
    method: 'GET',
    path: '/server/health',
    summary: 'Reads the health of the server; administrators see details',
    access: 'anyone',
    body: null,
    answer: { statuses: [200, 503], type: 'application/health+json', schema: healthSchema },
    beforeSecondFactor: true,
    whileBehind: true,
    handle: health,
  },
];
