/**
 * Saves a draft on the condition that what it was made to is still stored; otherwise it yields what is
 * stored now. What a session that ended has stopped goes on when one has signed in again.
 */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { PreconditionFailedError, SluiceError } from '../../../client/source/index.ts';
import type { Item } from '../data/schema-types.ts';
import { useSessionEnded } from '../data/session.ts';
import { sameValue } from '../data/values.ts';
import type { Stored } from './use-draft.ts';

export interface Sending<S> {
  readonly changes: Item;
  /** What the changes were made to. */
  readonly base: S;
}

export interface SaveTarget<S extends Stored<object>, W extends Sending<S>, R> {
  readonly send: (sending: W) => Promise<R>;
  /** Reads what is stored now. */
  readonly readLatest: () => Promise<S>;
  /** Whether the form began with a list, which has no tags: what is stored is read before it is sent. */
  readonly readsFirst?: boolean;
  readonly onSaved: (saved: R, sending: W) => void | Promise<void>;
  readonly onFailed?: (error: unknown) => void;
}

type Outcome<S, R> = { readonly saved: R } | { readonly theirs: S };

/** How often what is stored may be read anew while none of what the form shows has changed. */
const ATTEMPTS = 3;

export function useSave<S extends Stored<object>, W extends Sending<S>, R>(
  target: SaveTarget<S, W, R>,
) {
  const { send, readLatest, readsFirst = false, onSaved, onFailed } = target;
  /** What is stored now, when that is not what the changes were made to. */
  const [conflict, setConflict] = useState<S | null>(null);
  const mutation = useMutation({
    mutationFn: async (sending: W): Promise<Outcome<S, R>> => {
      let { base } = sending;
      const isSame = async () => {
        const before = base;
        base = await readLatest();
        return sameValue(base.item, before.item);
      };
      if (readsFirst && !(await isSame())) return { theirs: base };
      for (let attempt = 1; ; attempt += 1) {
        try {
          return { saved: await send({ ...sending, base }) };
        } catch (error) {
          if (!(error instanceof PreconditionFailedError)) throw error;
          if (!(await isSame()) || attempt === ATTEMPTS) return { theirs: base };
        }
      }
    },
    onSuccess: async (outcome, sending) => {
      if ('theirs' in outcome) return setConflict(outcome.theirs);
      setConflict(null);
      await onSaved(outcome.saved, sending);
    },
    onError: (error) => {
      setConflict(null);
      onFailed?.(error);
    },
  });
  // A save that found no session waits for the next one.
  const ended = useSessionEnded();
  const waiting = useRef<W | null>(null);
  const { error, variables, mutate } = mutation;
  const status = error instanceof SluiceError ? error.status : null;
  // Without a session one is nobody, who may not save.
  const isStopped = status === 401 || (ended && status === 403);
  if (isStopped && variables !== undefined && ended) waiting.current = variables;
  useEffect(() => {
    const sending = waiting.current;
    if (ended || sending === null) return;
    waiting.current = null;
    mutate(sending);
  }, [ended, mutate]);
  return { ...mutation, isStopped, conflict, setConflict };
}
