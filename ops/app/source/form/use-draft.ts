/**
 * The draft of a form: what is stored, as it was when the first change was made, and the changes. While
 * there are changes, what others save does not move the ground under them: it is met when one saves.
 */
import { useCallback, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { changesSince, withChange } from './draft.ts';
import type { Stored } from './item-query.ts';

export interface Draft {
  readonly base: Stored;
  readonly changes: Item;
  readonly change: (field: string, value: unknown) => void;
  /** Begins anew from what is stored, with these changes. */
  readonly reset: (changes: Item, base?: Stored) => void;
  /** Goes on from what is stored now that these changes are saved, with those made meanwhile. */
  readonly settle: (saved: Item, stored: Stored) => void;
  /** The changes that were made since these were sent. */
  readonly since: (sent: Item) => Item;
  /** Whether there are changes, at this moment. */
  readonly isDirty: () => boolean;
}

const NOTHING: Item = {};

/** Whether both say the same wherever both say something: the schema has got another field, or lost one. */
function agree(before: Item, now: Item): boolean {
  return Object.entries(before).every(
    ([field, value]) => !(field in now) || sameValue(value, now[field]),
  );
}

/** @param begun the changes that it begins with */
export function useDraft(stored: Stored, begun: Item = NOTHING): Draft {
  const [changes, setChanges] = useState(begun);
  const [kept, setKept] = useState<Stored | null>(begun === NOTHING ? null : stored);
  const isKept = Object.keys(changes).length > 0 && kept !== null;
  const base = isKept && !agree(kept.item, stored.item) ? kept : stored;
  // Read at the moment of a change or of leaving, when the last one is not drawn yet.
  const latest = useRef({ base, changes });
  latest.current.base = base;
  const set = useCallback((next: Item, from: Stored) => {
    latest.current = { base: from, changes: next };
    setKept(from);
    setChanges(next);
  }, []);
  const change = useCallback(
    (field: string, value: unknown) => {
      const { base: from, changes: before } = latest.current;
      set(withChange(from.item, before, field, value), from);
    },
    [set],
  );
  const reset = useCallback(
    (next: Item, from?: Stored) => set(next, from ?? latest.current.base),
    [set],
  );
  const since = useCallback((sent: Item) => {
    const { base: from, changes: now } = latest.current;
    return changesSince(from.item, sent, now);
  }, []);
  const settle = useCallback((saved: Item, next: Stored) => set(since(saved), next), [set, since]);
  const isDirty = useCallback(() => Object.keys(latest.current.changes).length > 0, []);
  return { base, changes, change, reset, settle, since, isDirty };
}
