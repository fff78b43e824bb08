/** The draft of a role or a user: what has been changed of it, and of the policies that it has. */
import { useCallback, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { changedSinceSaved, sameValue } from '../data/values.ts';
import { attachmentPayload, policiesOf } from './attachments.ts';
import type { StoredHolder } from './holder-queries.ts';

interface Changes<T> {
  readonly own: Partial<T>;
  /** The policies in their order; null while they are as they are stored. */
  readonly policies: readonly string[] | null;
}

export interface HolderDraft<T> {
  /** With its changes. */
  readonly value: T;
  readonly policies: readonly string[];
  readonly dirty: boolean;
  readonly isDirty: () => boolean;
  readonly change: (part: Partial<T>) => void;
  readonly changePolicies: (policies: readonly string[]) => void;
  readonly reset: () => void;
  /** What is sent to store the changes. */
  readonly payload: Item;
  /** Of what the changes were made to. */
  readonly tag: string | null;
  /** What was stored then, and what has been changed, by the names of fields. */
  readonly base: Item;
  readonly mine: Item;
  /** Goes on from what is stored now, with the changes of some fields; yields what is sent then. */
  readonly rebase: (stored: StoredHolder<T>, kept: ReadonlySet<string>) => Item;
  /** Goes on from what is stored now that these changes are saved, with those made meanwhile. */
  readonly settle: (saved: Item, stored: StoredHolder<T>) => void;
}

function isNothing<T>({ own, policies }: Changes<T>): boolean {
  return Object.keys(own).length === 0 && policies === null;
}

/** The changes by the names of fields. */
function mineOf<T>({ own, policies }: Changes<T>): Item {
  return { ...own, ...(policies !== null && { policies }) };
}

/** All that is stored of a holder, by the names of fields. */
export function holderItem<T extends object>({ value, access }: StoredHolder<T>): Item {
  return { ...value, policies: policiesOf(access) };
}

/** The changes without those that name what is stored, and without those of other fields. */
function without<T extends object>(
  own: Partial<T>,
  stored: T,
  kept?: ReadonlySet<string>,
): Partial<T> {
  const next = { ...own };
  const known = new Map<string, unknown>(Object.entries(stored));
  for (const [name, value] of Object.entries(own)) {
    const isKept = kept === undefined || kept.has(name);
    if (!isKept || sameValue(value, known.get(name))) Reflect.deleteProperty(next, name);
  }
  return next;
}

/** @param numbers whether the order of policies is stored, too */
export function useHolderDraft<T extends object>(
  latest: StoredHolder<T>,
  numbers: boolean,
): HolderDraft<T> {
  const [changes, setChanges] = useState<Changes<T>>({ own: {}, policies: null });
  const now = useRef(changes);
  // What others save does not move the ground under changes; it is met when one saves.
  const base = useRef(latest);
  if (isNothing(changes)) base.current = latest;
  const stored = base.current;
  const take = useCallback((next: Changes<T>) => {
    now.current = next;
    setChanges(next);
  }, []);
  const change = useCallback(
    (part: Partial<T>) =>
      take({
        ...now.current,
        own: without({ ...now.current.own, ...part }, base.current.value),
      }),
    [take],
  );
  const changePolicies = useCallback(
    (policies: readonly string[]) => {
      const isStored = sameValue(policies, policiesOf(base.current.access));
      take({ ...now.current, policies: isStored ? null : policies });
    },
    [take],
  );
  const payloadOf = useCallback(
    ({ own, policies }: Changes<T>): Item => ({
      ...own,
      ...(policies !== null && attachmentPayload(base.current.access, policies, numbers)),
    }),
    [numbers],
  );
  const rebase = useCallback(
    (next: StoredHolder<T>, kept: ReadonlySet<string>) => {
      base.current = next;
      const { own, policies } = now.current;
      take({
        own: without(own, next.value, kept),
        policies: kept.has('policies') ? policies : null,
      });
      return payloadOf(now.current);
    },
    [take, payloadOf],
  );
  const reset = useCallback(() => take({ own: {}, policies: null }), [take]);
  const settle = useCallback(
    (saved: Item, next: StoredHolder<T>) => {
      rebase(next, changedSinceSaved(saved, mineOf(now.current)));
    },
    [rebase],
  );
  const isDirty = useCallback(() => !isNothing(now.current), []);
  return {
    value: { ...stored.value, ...changes.own },
    policies: changes.policies ?? policiesOf(stored.access),
    dirty: !isNothing(changes),
    isDirty,
    change,
    changePolicies,
    reset,
    payload: payloadOf(changes),
    tag: stored.tag,
    base: holderItem(stored),
    mine: mineOf(changes),
    rebase,
    settle,
  };
}
