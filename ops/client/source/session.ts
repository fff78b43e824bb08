/**
 * Keeps the session of a client: signs its requests, and refreshes the access token before it ends,
 * once for all requests and tabs.
 */
import { exclusively, inBrowser, unheld } from './environment.ts';
import { SluiceError } from './errors.ts';
import type { CallOptions, Mode, Tokens } from './options.ts';
import { memoryStorage, traceStorage } from './storage.ts';
import { openTabs } from './tabs.ts';
import type { Transport } from './transport.ts';

/** What login and refresh answer; `expires` is the life of the access token in milliseconds. */
export interface Admission {
  readonly expires: number;
  readonly access_token?: string;
  readonly refresh_token?: string;
}

/** Whether somebody is signed in, as far as the client knows. */
export interface SessionState {
  readonly signedIn: boolean;
  /** Null in mode `session`, whose token no script can read, and with a static token. */
  readonly userId: string | null;
  /** When the access token ends; null without one, and with a static token. */
  readonly expires: Date | null;
}

export interface Session {
  readonly mode: Mode;
  readonly state: SessionState;
  onChange(listener: (state: SessionState) => void): () => void;
  /** Begins a session with what a login answered. */
  begin(admission: Admission): Promise<void>;
  refresh(options?: CallOptions): Promise<void>;
  /** Ends the session here; `told` whether by the will of its user. */
  end(told: boolean): Promise<void>;
  /** Uses a static token, or none. */
  useToken(token: string | null): void;
  /** The refresh token of mode `json`. */
  refreshToken(): Promise<string | null>;
  token(): Promise<string | null>;
  close(): void;
}

/** A timer does not run while the machine sleeps, so the clock is looked at often. */
const LOOK = 30_000;
/** The pause after a refresh that failed without ending the session. */
const PAUSE = 5_000;

function userOf(token: string | null): string | null {
  try {
    const claims = atob((token?.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'));
    const { id } = JSON.parse(claims);
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

const endsSession = (error: unknown) =>
  error instanceof SluiceError && error.status >= 400 && error.status < 404;

export function createSession(transport: Transport): Session {
  const { options } = transport;
  const { before = 30_000, automatic = true } = options.refresh ?? {};
  const mode = options.mode ?? (inBrowser && options.token === undefined ? 'cookie' : 'json');
  const name = `sluice:${transport.url}`;
  const storage = mode === 'json' ? (options.storage ?? memoryStorage()) : traceStorage(name);
  const lock = mode === 'json' ? (storage.name ?? storage) : name;
  const fixed = (token: string): Tokens => ({ access: token, refresh: null, expires: Infinity });
  const listeners = new Set<(state: SessionState) => void>();
  let tokens: Tokens | null = options.token === undefined ? null : fixed(options.token);
  let loaded: Promise<void> | null = null;
  let refreshing: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Tokens that live shorter than `before` are used for half of their life. */
  let margin = before;

  const lasts = (some: Tokens | null): some is Tokens =>
    some !== null && some.expires - margin > Date.now();
  /** Tokens that a request can be signed with: those of mode `session` are in a cookie. */
  const usable = (some: Tokens | null) =>
    lasts(some) && (mode === 'session' || some.access !== null);
  const isFixed = () => tokens?.expires === Infinity;

  function stateNow(): SessionState {
    const ends = tokens !== null && tokens.expires !== Infinity ? new Date(tokens.expires) : null;
    return { signedIn: tokens !== null, userId: userOf(tokens?.access ?? null), expires: ends };
  }

  function schedule(least = 0): void {
    clearTimeout(timer);
    if (!automatic || tokens === null || isFixed()) return;
    const wait = Math.max(least, Math.min(LOOK, tokens.expires - margin - Date.now()));
    timer = setTimeout(() => {
      if (lasts(tokens)) schedule();
      else session.refresh().catch(() => schedule(PAUSE));
    }, wait);
    unheld(timer);
  }

  function use(next: Tokens | null): void {
    tokens = next;
    schedule();
    const state = stateNow();
    for (const listener of listeners) listener(state);
  }

  function hear(told: Tokens | null): void {
    if (isFixed()) return;
    const ended = told === null && tokens !== null;
    use(told);
    if (ended) options.onSessionEnd?.();
  }

  const tabs =
    mode === 'json' ? null : openTabs(name, hear, () => (usable(tokens) ? tokens : null));

  /** Looks once for a session that was kept. */
  function load(): Promise<void> {
    loaded ??= (async () => {
      if (tokens !== null) return;
      const kept = await storage.get();
      if (kept !== null && tokens === null) use(kept);
    })();
    return loaded;
  }

  async function accept({ expires, access_token, refresh_token }: Admission): Promise<void> {
    const next = {
      access: access_token ?? null,
      refresh: refresh_token ?? null,
      expires: Date.now() + expires,
    };
    loaded = Promise.resolve();
    margin = Math.min(before, expires / 2);
    use(next);
    await storage.set(next);
    tabs?.tell(next);
  }

  /** Takes over what another tab or client has refreshed meanwhile. */
  async function takeOver(old: Tokens | null): Promise<boolean> {
    if (tokens !== old && usable(tokens)) return true;
    const kept = await storage.get();
    if (!lasts(kept) || kept.expires === old?.expires) return false;
    if (usable(kept)) {
      use(kept);
      return true;
    }
    // The trace of a token that another tab may have.
    const told = await tabs?.ask();
    return usable(told ?? null) && told?.expires !== old?.expires;
  }

  async function renew(call: CallOptions, forced: boolean): Promise<void> {
    await load();
    const old = tokens;
    await exclusively(lock, async () => {
      if (await takeOver(forced ? old : null)) return;
      const body = { mode, ...(tokens?.refresh && { refresh_token: tokens.refresh }) };
      try {
        const path = '/auth/refresh';
        await accept(
          await transport.request<Admission>('POST', path, { ...call, body, signed: false }),
        );
      } catch (error) {
        if (endsSession(error)) await session.end(false);
        throw error;
      }
    });
  }

  function refresh(call: CallOptions, forced: boolean): Promise<void> {
    refreshing ??= renew(call, forced).finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  const session: Session = {
    mode,
    get state() {
      return stateNow();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    begin: accept,
    refresh: (call = {}) => refresh(call, true),
    async end(told) {
      const had = tokens !== null;
      await storage.set(null);
      use(null);
      tabs?.tell(null);
      if (had && !told) options.onSessionEnd?.();
    },
    useToken(token) {
      loaded = Promise.resolve();
      use(token === null ? null : fixed(token));
    },
    async refreshToken() {
      await load();
      return tokens?.refresh ?? null;
    },
    async token() {
      await load();
      if (tokens !== null && automatic && !usable(tokens)) {
        try {
          await refresh({}, false);
        } catch (error) {
          // What still holds is used; what ends the session is told.
          if (endsSession(error) || tokens === null || tokens.expires <= Date.now()) throw error;
        }
      }
      return tokens?.access ?? null;
    },
    close() {
      clearTimeout(timer);
      tabs?.close();
    },
  };

  transport.signer = {
    cookies: mode === 'json' ? 'omit' : 'include',
    token: session.token,
    async renewed(token, refusal) {
      if (!automatic || tokens === null || isFixed()) return false;
      if (refusal.code !== 'TOKEN_EXPIRED' && refusal.code !== 'INVALID_CREDENTIALS') return false;
      // Another request has refreshed it meanwhile.
      if (tokens.access !== token) return true;
      try {
        await refresh({}, true);
      } catch (error) {
        // The request itself then tells that its session has ended.
        if (endsSession(error)) return false;
        throw error;
      }
      return true;
    },
  };
  return session;
}
