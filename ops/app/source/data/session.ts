/**
 * Whether the session of the browser has ended while the App is open: then a dialog over the screen
 * lets one sign in again, and the screen keeps what was typed.
 */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let begun = false;
let ended = false;

function tell(): void {
  for (const listener of listeners) listener();
}

/** Told by whoever gets a 401. Before somebody has signed in it means nothing. */
export function announceSessionEnd(): void {
  if (!begun || ended) return;
  ended = true;
  tell();
}

/** Told when a session has begun, or goes on. */
export function announceSession(): void {
  begun = true;
  if (!ended) return;
  ended = false;
  tell();
}

/** Told when somebody signs out: what then answers 401 is no surprise. */
export function forgetSession(): void {
  begun = false;
  ended = false;
  tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the session ended by itself, so that one has to sign in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => ended);
}
