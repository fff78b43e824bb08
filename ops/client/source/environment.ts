/** What the client uses of the browser or of Node, as far as it is there. */

import type { SocketClass } from './options.ts';

interface Locks {
  request<T>(name: string, callback: () => Promise<T>): Promise<T>;
}

interface Channel {
  onmessage: ((event: never) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** What of `XMLHttpRequest` is used. */
interface UploadRequest {
  responseType: string;
  withCredentials: boolean;
  readonly upload: { onprogress: ((event: never) => void) | null };
  onload: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  readonly status: number;
  readonly response: Blob | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob | null): void;
  abort(): void;
}

interface Place {
  readonly XMLHttpRequest?: new () => UploadRequest;
  readonly WebSocket?: SocketClass;
  readonly document?: object;
  readonly navigator?: { readonly userAgent?: string; readonly locks?: Locks };
  readonly localStorage?: WebStorage;
  readonly BroadcastChannel?: new (name: string) => Channel;
}

/** What of `localStorage` and `sessionStorage` is used. */
export interface WebStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

const place: Place = globalThis;

/** Whether pages run here, and cookies are kept. */
export const inBrowser = place.document !== undefined;

/** The storage that all tabs of an origin share; null where there is none, or it is forbidden. */
export function sharedStorage(): WebStorage | null {
  try {
    return (inBrowser && place.localStorage) || null;
  } catch {
    return null;
  }
}

/** A channel to the other tabs of the origin; null outside of browsers. */
export function openChannel(name: string): Channel | null {
  return inBrowser && place.BroadcastChannel ? new place.BroadcastChannel(name) : null;
}

const ends = new Map<string | object, Promise<unknown>>();

/**
 * Runs one after the other what is about the same: of the same name in all tabs of an origin, of the
 * same object in this page or process.
 */
export function exclusively<T>(name: string | object, work: () => Promise<T>): Promise<T> {
  const { locks } = place.navigator ?? {};
  if (locks && typeof name === 'string') return locks.request(name, work);
  const before = ends.get(name) ?? Promise.resolve();
  const own = before.then(work, work);
  const end = own.catch(() => undefined);
  ends.set(name, end);
  end.then(() => ends.get(name) === end && ends.delete(name));
  return own;
}

/** Lets Node end although the timer still runs. */
export function unheld(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
  }
}

/** The WebSocket of browsers and of Node from 22 on. */
export function ownSocketClass(): SocketClass | undefined {
  return place.WebSocket;
}

/** A request that tells how much of its body is sent; null outside of pages. */
export function uploadRequest(): UploadRequest | null {
  return inBrowser && place.XMLHttpRequest ? new place.XMLHttpRequest() : null;
}
