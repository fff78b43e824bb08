/**
 * The draft of a form: what is stored, as it was when the first change was made, and the changes.
 * Changes that others save do not alter the draft; conflicts are found when it is saved.
 */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { agree, changesBetween, changesSince } from './changes.ts';

export interface Stored<T extends object = Item> {
  readonly item: T;
  /** For `If-Match`; null where the server gives none. */
  readonly tag: string | null;
}

/** Whether another person has changed what is stored since it was read. */
export function isBehind(base: Stored<object>, latest: Stored<object>): boolean {
  return base.tag !== latest.tag && !sameValue(base.item, latest.item);
}

export interface Draft<S extends Stored<object>> {
  readonly base: S;
  readonly changes: Item;
  /** What is stored, with the changes. */
  readonly values: S['item'];
  readonly change: (part: Partial<S['item']>) => void;
  /** Begins anew from what is stored, with these changes or none. */
  readonly reset: (changes?: Item, base?: S) => void;
  /** Goes on from what is stored now that these changes are saved, with those made meanwhile. */
  readonly settle: (saved: Item, stored: S) => void;
  /** The changes that were made since these were sent. */
  readonly since: (sent: Item) => Item;
  readonly dirty: boolean;
  /** The changes at this moment, which may not be drawn yet. */
  readonly latestChanges: () => Item;
  /** Whether there are changes, at this moment. */
  readonly isDirty: () => boolean;
}

const NOTHING: Item = {};

/** @param begun the changes that it begins with */
export function useDraft<S extends Stored<object>>(stored: S, begun: Item = NOTHING): Draft<S> {
  const [changes, setChanges] = useState(begun);
  const [kept, setKept] = useState<S | null>(begun === NOTHING ? null : stored);
  const dirty = Object.keys(changes).length > 0;
  const isKept = dirty && kept !== null && !agree({ ...kept.item }, { ...stored.item });
  const base = isKept ? kept : stored;
  // Read at the moment of a change or of leaving, when the last one is not drawn yet.
  const latest = useRef({ base, changes });
  latest.current.base = base;
  const reset = useCallback((next: Item = NOTHING, from: S = latest.current.base) => {
    latest.current = { base: from, changes: next };
    setKept(from);
    setChanges(next);
  }, []);
  const change = useCallback(
    (part: Partial<S['item']>) => {
      const { base: from, changes: before } = latest.current;
      reset(changesBetween({ ...from.item }, { ...before, ...part }), from);
    },
    [reset],
  );
  const since = useCallback((sent: Item) => {
    const { base: from, changes: now } = latest.current;
    return changesSince({ ...from.item }, sent, now);
  }, []);
  const settle = useCallback((saved: Item, next: S) => reset(since(saved), next), [reset, since]);
  const latestChanges = useCallback(() => latest.current.changes, []);
  const isDirty = useCallback(() => Object.keys(latestChanges()).length > 0, [latestChanges]);
  const values = useMemo(() => ({ ...base.item, ...changes }), [base, changes]);
  return { base, changes, values, change, reset, settle, since, dirty, latestChanges, isDirty };
}
