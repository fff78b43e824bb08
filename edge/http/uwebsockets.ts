/**
 * uWebSockets.js for the rest of the adapter: configured, and with the parts of its interface that
 * its declarations lack. Nothing outside this folder may import the library.
 */
import './header-limit.ts';
import type { us_listen_socket as ListenSocket } from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      callback: (socket: ListenSocket | false) => void,
    ): TemplatedApp;
  }
  export function _cfg(key: 'silent'): void;
}

// A static import of a package may move before the limit, as bundlers do.
const library = await import('uWebSockets.js');

// Otherwise every answer names the library and its version.
library._cfg('silent');

export const {
  App,
  us_listen_socket_close: closeListenSocket,
  us_socket_local_port: localPort,
} = library;

/** Options of `listen`: share the port with other processes (SO_REUSEPORT), or own it. */
export const SHARED_PORT = 0;
export const EXCLUSIVE_PORT = 1;

export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t as SocketContext,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
export type { ListenSocket };
