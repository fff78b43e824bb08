/**
 * Subscriptions to the changes of items: one WebSocket for all of them, which comes back when it
 * breaks, and tells what may have been missed.
 */
import { ownSocketClass } from './environment.ts';
import { errorOf, SluiceError } from './errors.ts';
import type { ClientOptions, Socket } from './options.ts';
import type { Key } from './path.ts';
import { membersOf } from './query.ts';
import { pauseAfter } from './retry.ts';
import type { Session } from './session.ts';

export interface SubscribeOptions<Query = object> {
  readonly query?: Query | undefined;
  /** Only such changes. There are no items at the beginning then. */
  readonly event?: 'create' | 'update' | 'delete' | undefined;
  /** Only the item with this key. */
  readonly item?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A change, or the items as they are. */
export type Change<Item = Record<string, unknown>> =
  | {
      readonly event: 'init';
      /** The items as they are; none when only some events are subscribed to. */
      readonly data: Item[];
      /** Changes may have been missed: `data`, or what is read now, takes the place of what was. */
      readonly gap: boolean;
    }
  | { readonly event: 'create' | 'update'; readonly data: Item[] }
  | { readonly event: 'delete'; readonly data: Key[] };

export interface Live {
  subscribe<Item>(
    collection: string,
    options?: SubscribeOptions,
  ): AsyncGenerator<Change<Item>, void, undefined>;
  close(): void;
}

/** Changed items that wait for a slow reader; past it he begins anew. */
const MOST_WAITING = 1_000;
const NORMAL = 1_000;
const OPEN = 1;

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** A message of the server, apart from what it tells of items. */
interface Message {
  readonly type?: string;
  readonly uid?: string;
  readonly error?: Refusal;
}

/** What is told of items, also of one. */
type Told<Item> =
  | { readonly event: 'init' | 'create' | 'update'; readonly data?: Item[] }
  | { readonly event: 'delete'; readonly data: Key[] }
  | { readonly event: 'unsubscribe' };

function refusalOf({ code, message, ...details }: Refusal): SluiceError {
  return errorOf({ status: 0, errors: [{ message, extensions: { ...details, code } }] });
}

/** Changed items in a message; several changes may be told at once. */
const countOf = (told: Told<unknown>): number =>
  told.event === 'init' || !('data' in told) ? 1 : (told.data?.length ?? 1);

/** One subscription, as its reader and the connection see it. */
class Subscription<Item> {
  readonly text: object;
  /** It is about one item, which the server tells without a list. */
  readonly single: boolean;
  uid = '';
  readonly #waiting: Told<Item>[] = [];
  /** Changed items among what waits. */
  #items = 0;
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  constructor(text: object, single: boolean) {
    this.text = text;
    this.single = single;
  }

  /** False when too much waits. */
  hear(told: Told<Item>): boolean {
    this.#items += countOf(told);
    if (this.#items > MOST_WAITING && this.#waiting.length > 0) {
      this.#waiting.length = 0;
      this.#items = 0;
      return false;
    }
    this.#waiting.push(told);
    this.#wake?.();
    return true;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  async next(): Promise<Told<Item>> {
    for (;;) {
      const told = this.#waiting.shift();
      if (told) {
        this.#items -= countOf(told);
        return told;
      }
      if (this.#failure) throw this.#failure.error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export function createLive(url: string, options: ClientOptions, session: Session): Live {
  const Class = options.WebSocket ?? ownSocketClass();
  const { silence = 45_000 } = options;
  const address = `${url.replace(/^http/, 'ws')}/websocket`;
  const subscriptions = new Set<Subscription<unknown>>();
  let socket: Socket | null = null;
  /** Signed in, as far as that is needed. */
  let ready = false;
  let failures = 0;
  let names = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = (message: object) => {
    if (socket?.readyState === OPEN) socket.send(JSON.stringify(message));
  };

  function begin(subscription: Subscription<unknown>): void {
    // A name of its own tells late messages of an earlier beginning apart.
    names += 1;
    subscription.uid = String(names);
    send({ ...subscription.text, type: 'subscribe', uid: subscription.uid });
  }

  function failAll(error: unknown): void {
    for (const subscription of subscriptions) subscription.fail(error);
  }

  async function signIn(forced: boolean): Promise<void> {
    try {
      if (forced) await session.refresh();
      const token = await session.token();
      if (token !== null) send({ type: 'auth', access_token: token });
      // The cookie of mode `session` came with the request, and has to come anew.
      else if (forced) socket?.close(NORMAL);
      else greet();
    } catch (error) {
      if (error instanceof SluiceError && error.status >= 400 && error.status < 404) failAll(error);
      socket?.close(NORMAL);
    }
  }

  function greet(): void {
    ready = true;
    for (const subscription of subscriptions) begin(subscription);
  }

  function refused(error: Refusal): void {
    if (error.code === 'TOKEN_EXPIRED') {
      void signIn(session.state.expires !== null);
      return;
    }
    failAll(refusalOf(error));
  }

  function listen(): void {
    clearTimeout(timer);
    const own = socket;
    timer = setTimeout(() => own && lost(own), silence);
  }

  function hear({ data }: { readonly data: unknown }): void {
    listen();
    const told = JSON.parse(String(data));
    const message: Message = told;
    if (message.type === 'ping') send({ type: 'pong' });
    if (message.type === 'auth') {
      failures = 0;
      if (message.error) refused(message.error);
      else if (!ready) greet();
      return;
    }
    const subscription = [...subscriptions].find(({ uid }) => uid === message.uid);
    if (!subscription) return;
    failures = 0;
    if (message.error) subscription.fail(refusalOf(message.error));
    if (message.type !== 'subscription') return;
    const listed = subscription.single && 'data' in told ? { ...told, data: [told.data] } : told;
    if (!subscription.hear(listed)) again(subscription);
  }

  function again(subscription: Subscription<unknown>): void {
    send({ type: 'unsubscribe', uid: subscription.uid });
    begin(subscription);
  }

  /** The connection is over, whoever ended it; half of it may still be there. */
  function lost(own: Socket): void {
    if (socket !== own) return;
    clearTimeout(timer);
    own.onopen = own.onmessage = own.onclose = null;
    own.close(NORMAL);
    socket = null;
    ready = false;
    if (subscriptions.size === 0) return;
    failures += 1;
    const network = errorOf({ status: 503, errors: [] });
    const wait = pauseAfter(network, Math.min(failures, 16), { attempts: Infinity }) ?? 0;
    timer = setTimeout(connect, wait);
  }

  function connect(): void {
    if (socket !== null || subscriptions.size === 0) return;
    clearTimeout(timer);
    if (!Class) throw new TypeError('There is no WebSocket here: pass a class in `WebSocket`.');
    const own: Socket = new Class(address);
    socket = own;
    own.onopen = () => void signIn(false);
    own.onmessage = hear;
    own.onclose = () => lost(own);
    own.onerror = () => undefined;
    listen();
  }

  function leave(subscription: Subscription<unknown>): void {
    subscriptions.delete(subscription);
    if (ready) send({ type: 'unsubscribe', uid: subscription.uid });
    if (subscriptions.size === 0 && socket !== null) lost(socket);
  }

  return {
    async *subscribe<Item>(
      collection: string,
      { query, signal, ...others }: SubscribeOptions = {},
    ): AsyncGenerator<Change<Item>, void, undefined> {
      signal?.throwIfAborted();
      const members = query && membersOf(query);
      const text = { collection, query: members, ...others };
      const subscription = new Subscription<Item>(text, others.item !== undefined);
      const stop = () => subscription.fail(signal?.reason);
      signal?.addEventListener('abort', stop);
      subscriptions.add(subscription);
      let began = false;
      try {
        if (ready) begin(subscription);
        else connect();
        for (;;) {
          const told = await subscription.next();
          if (told.event === 'unsubscribe') continue;
          if (told.event === 'delete') yield told;
          else {
            const { event, data = [] } = told;
            yield event === 'init' ? { event, data, gap: began } : { event, data };
            began = true;
          }
        }
      } finally {
        signal?.removeEventListener('abort', stop);
        leave(subscription);
      }
    },
    close() {
      failAll(new TypeError('The client is closed.'));
    },
  };
}
