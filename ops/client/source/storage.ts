/** Where sessions are kept: in memory, or in a storage of the browser. */
import { sharedStorage, type WebStorage } from './environment.ts';
import type { TokenStorage, Tokens } from './options.ts';

/** Keeps tokens until the page or the process ends. */
export function memoryStorage(): TokenStorage {
  let kept: Tokens | null = null;
  return {
    get: () => kept,
    set(tokens) {
      kept = tokens;
    },
  };
}

function isTokens(value: unknown): value is Tokens {
  return (
    typeof value === 'object' &&
    value !== null &&
    'expires' in value &&
    Number.isFinite(value.expires)
  );
}

/** Keeps tokens in `localStorage` or `sessionStorage`, where every script of the origin reads them. */
export function webStorage(storage: WebStorage, name = 'sluice'): TokenStorage {
  return {
    name: `sluice:${name}`,
    get() {
      try {
        const kept: unknown = JSON.parse(storage.getItem(name) ?? 'null');
        return isTokens(kept) ? kept : null;
      } catch {
        return null;
      }
    },
    set(tokens) {
      if (tokens === null) storage.removeItem(name);
      else storage.setItem(name, JSON.stringify(tokens));
    },
  };
}

/**
 * Tells the tabs of an origin, and a page that is loaded again, that there is a session and when it
 * ends; never the tokens themselves.
 */
export function traceStorage(name: string): TokenStorage {
  const shared = sharedStorage();
  const traces = shared ? webStorage(shared, name) : memoryStorage();
  return {
    get: traces.get,
    async set(tokens) {
      try {
        await traces.set(tokens && { access: null, refresh: null, expires: tokens.expires });
      } catch {
        // A storage that is full or forbidden costs the other tabs a refresh of their own.
      }
    },
  };
}
