/** The draft of a role or a user: what has been changed of it, and of the policies that it has. */
import { useCallback, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { type Attachments, areChanged, attachmentPayload, UNCHANGED } from './attachments.ts';

interface Changes<T> {
  readonly own: Partial<T>;
  readonly policies: Attachments;
}

export interface HolderDraft<T> {
  /** With its changes. */
  readonly value: T;
  readonly policies: Attachments;
  readonly dirty: boolean;
  readonly isDirty: () => boolean;
  readonly change: (part: Partial<T>) => void;
  readonly changePolicies: (policies: Attachments) => void;
  readonly reset: () => void;
  /** What is sent to store the changes. */
  readonly payload: Item;
}

function isNothing<T>({ own, policies }: Changes<T>): boolean {
  return Object.keys(own).length === 0 && !areChanged(policies);
}

export function useHolderDraft<T extends object>(stored: T): HolderDraft<T> {
  const [changes, setChanges] = useState<Changes<T>>({ own: {}, policies: UNCHANGED });
  const now = useRef(changes);
  const latest = useRef(stored);
  latest.current = stored;
  const take = useCallback((next: Changes<T>) => {
    now.current = next;
    setChanges(next);
  }, []);
  const change = useCallback(
    (part: Partial<T>) => {
      const own = { ...now.current.own, ...part };
      const known = new Map<string, unknown>(Object.entries(latest.current));
      for (const name of Object.keys(own)) {
        const next = new Map<string, unknown>(Object.entries(own)).get(name);
        if (sameValue(next, known.get(name))) Reflect.deleteProperty(own, name);
      }
      take({ ...now.current, own });
    },
    [take],
  );
  const changePolicies = useCallback(
    (policies: Attachments) => take({ ...now.current, policies }),
    [take],
  );
  const reset = useCallback(() => take({ own: {}, policies: UNCHANGED }), [take]);
  const isDirty = useCallback(() => !isNothing(now.current), []);
  return {
    value: { ...stored, ...changes.own },
    policies: changes.policies,
    dirty: !isNothing(changes),
    isDirty,
    change,
    changePolicies,
    reset,
    payload: { ...changes.own, ...attachmentPayload(changes.policies) },
  };
}
