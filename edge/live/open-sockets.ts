/** Opens the WebSockets of an edge according to the configuration. */
import type { SocketRoute } from '#edge/http/web-socket.ts';
import type { EdgeServices } from '#edge/services.ts';
import { GraphSocket, graphServer, SUBPROTOCOL } from './graphql-socket.ts';
import { RestSocket } from './rest-socket.ts';
import { Sockets, type SocketTerms } from './sockets.ts';

export interface OpenSockets {
  readonly routes: readonly SocketRoute[];
  close(): void;
}

/** The routes of WebSockets; empty when they are disabled. */
export function openSockets(services: EdgeServices): OpenSockets {
  const { config, live } = services;
  if (live === null) return { routes: [], close: () => undefined };
  const sockets = new Sockets(services);
  const bounds = {
    messageLimit: config.WEBSOCKETS_MESSAGE_MAX_SIZE,
    bufferLimit: config.WEBSOCKETS_BUFFER_MAX_SIZE,
  };
  const rest: SocketTerms = {
    protocol: 'rest',
    auth: config.WEBSOCKETS_REST_AUTH,
  };
  const graphql: SocketTerms = {
    protocol: 'graphql',
    auth: config.WEBSOCKETS_GRAPHQL_AUTH,
  };
  const server = graphServer(config.WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT);
  const parts = { services, live, sockets };
  const restRoute: SocketRoute = {
    ...{ path: config.WEBSOCKETS_REST_PATH, protocol: null, ...bounds },
    async admit(request) {
      return new RestSocket({ ...parts, request, ...(await sockets.admit(request, rest)) });
    },
  };
  const graphRoute: SocketRoute = {
    ...{ path: config.WEBSOCKETS_GRAPHQL_PATH, protocol: SUBPROTOCOL, ...bounds },
    async admit(request) {
      const admission = await sockets.admit(request, graphql);
      return new GraphSocket(server, { ...parts, request, ...admission });
    },
  };
  return {
    routes: [
      ...(config.WEBSOCKETS_REST_ENABLED ? [restRoute] : []),
      ...(config.WEBSOCKETS_GRAPHQL_ENABLED ? [graphRoute] : []),
    ],
    close: () => sockets.close(),
  };
}
