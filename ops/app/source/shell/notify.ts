/** Short notices of what was done or went wrong: here they wait until they are shown. */
import { useSyncExternalStore } from 'react';
import { tellFailure } from '../data/failure.ts';
import type { Translate } from '../data/fault-text.ts';

export interface Notice {
  /** Key of a text, and its parameters. */
  readonly text: string;
  readonly type: 'info' | 'success' | 'warning' | 'error';
  readonly messageArgs?: Readonly<Record<string, unknown>>;
  /** Takes back what was done, where that can be taken back. */
  readonly undo?: () => void;
}

const listeners = new Set<() => void>();
let waiting: readonly Notice[] = [];

function set(next: readonly Notice[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function notify(text: string, options: Omit<Notice, 'text'>): void {
  set([...waiting, { text, ...options }]);
}

/** Says why something did not work. */
export function notifyFailure(error: unknown, translate: Translate): void {
  const { text, detail } = tellFailure(error, translate);
  notify(`${translate(text)} ${detail ?? ''}`.trim(), { type: 'error' });
}

export function dropNotice(notice: Notice): void {
  set(waiting.filter((other) => other !== notice));
}

/** The notices that are shown one after the other. */
export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(subscribe, () => waiting);
}
