/**
 * Configures uWebSockets.js for the rest of the adapter, and declares the parts of its interface
 * that its declarations lack. Code outside this folder must not import the library.
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

// A bundler may move a static import of a package before the import of the limit.
const library = await import('uWebSockets.js');

// Without this setting every response names the library and its version.
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
