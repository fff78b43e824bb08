/** What the App remembers in this browser; where it may keep nothing, until the page is left. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

const PREFIX = 'RaStoresluice.';

const memory = new Map<string, string>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', tell);
  };
}

function textOf(key: string): string | null {
  const text = memory.get(key);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

function parsed<T>(text: string | null, otherwise: T): T {
  if (text === null) return otherwise;
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function recall<T>(key: string, otherwise: T): T {
  return parsed(textOf(key), otherwise);
}

export function remember(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(PREFIX + key, text);
  } catch {
    memory.set(key, text);
  }
  tell();
}

/** As `useState`, but it is remembered, and all who use the same key see the same. */
export function useStore<T>(key: string, otherwise: T): [T, (value: T) => void] {
  const text = useSyncExternalStore(subscribe, () => textOf(key));
  const value = useMemo(() => parsed(text, otherwise), [text, otherwise]);
  const set = useCallback((next: T) => remember(key, next), [key]);
  return [value, set];
}
