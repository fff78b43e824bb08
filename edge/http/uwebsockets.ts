/**
 * uWebSockets.js for the rest of the adapter: configured, and with the parts of its interface that
 * its declarations lack. Nothing outside this folder may import the library.
 */
import './header-limit.ts';
import { _cfg, type us_listen_socket as ListenSocket } from 'uWebSockets.js';

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

// Otherwise every answer names the library and its version.
_cfg('silent');

/** Options of `listen`: share the port with other processes (SO_REUSEPORT), or own it. */
export const SHARED_PORT = 0;
export const EXCLUSIVE_PORT = 1;

export {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  us_listen_socket_close as closeListenSocket,
  type us_socket_context_t as SocketContext,
  us_socket_local_port as localPort,
  type WebSocket,
  type WebSocketBehavior,
} from 'uWebSockets.js';
export type { ListenSocket };
