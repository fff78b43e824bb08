/**
 * Corks a separate response while requests become WebSockets. The library randomly closes a
 * connection that is upgraded inside its own cork. After the callback it treats memory of the
 * WebSocket as the response (uWebSockets, pull request 1929). Without any cork it prints a warning
 * for each upgrade. Neither happens while another response is corked.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  App,
  closeListenSocket,
  EXCLUSIVE_PORT,
  type HttpResponse,
  type ListenSocket,
  localPort,
} from './uwebsockets.ts';

export class CorkHolder {
  readonly #app = App();
  /** The response that never ends; null before `open` and after `close`. */
  #response: HttpResponse | null = null;
  #client: Socket | null = null;

  /**
   * Opens a connection of the process to itself, through a loopback port that is closed again
   * immediately.
   * @returns whether that succeeded; without it upgrades still work, but print warnings
   */
  async open(): Promise<boolean> {
    const held = Promise.withResolvers<void>();
    // Other programs on this machine may also connect, but they cannot guess the path.
    const path = `/${randomUUID()}`;
    this.#app.get(path, (response) => {
      response.onAborted(() => {
        this.#response = null;
      });
      this.#response = response;
      held.resolve();
    });
    const listening = await new Promise<ListenSocket | false>((resolve) => {
      this.#app.listen('127.0.0.1', 0, EXCLUSIVE_PORT, resolve);
    });
    if (listening === false) return false;
    const client = connect(localPort(listening), '127.0.0.1');
    client.on('error', () => undefined);
    this.#client = client.unref();
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await Promise.race([held.promise, once(client, 'close').catch(() => undefined)]);
    closeListenSocket(listening);
    return this.#response !== null;
  }

  /** Runs `upgrade` synchronously. */
  run(upgrade: () => void): void {
    if (this.#response === null) upgrade();
    else this.#response.cork(upgrade);
  }

  close(): void {
    this.#response = null;
    this.#client?.destroy();
    this.#app.close();
  }
}
