/** Work on the schema, as screens do it: one change, or several that belong together. */
import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../client/source/index.ts';
import { CALLER, SCHEMA } from '../data/query-keys.ts';
import { type Change, makeChange } from './change.ts';

export interface Work {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly reset: () => void;
  /** The job that is being waited for; null while nothing is known of one. */
  readonly job: Job | null;
  /** Of several changes the one that is being made, from 1. */
  readonly step: number;
  readonly steps: number;
  /** Tries the same again, and accepts that values are lost. */
  readonly force: () => void;
}

/** What is no longer there after a change. */
export interface Gone {
  /** Leaves the screens of it. */
  readonly leave: () => Promise<void>;
  /** The collection, when it is one: nothing of it is read again. */
  readonly collection?: string;
}

/** Makes changes one after the other, and reads again what shows the schema. */
export function useMaking(gone?: Gone) {
  const queryClient = useQueryClient();
  const [job, setJob] = useState<Job | null>(null);
  const [step, setStep] = useState(1);
  const [steps, setSteps] = useState(0);
  const readAgain = async (ended: boolean) => {
    const isGone = ({ queryKey }: Query) =>
      ended && gone?.collection !== undefined && queryKey.includes(gone.collection);
    await queryClient.invalidateQueries({ predicate: isGone, refetchType: 'none' });
    await Promise.all(
      [[SCHEMA], [CALLER, 'rights'], ['items']].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey, predicate: (query) => !isGone(query) }),
      ),
    );
  };
  /** @param force accepts that values are lost */
  const make = async (changes: readonly Change[], force: boolean) => {
    const done: Change[] = [];
    setSteps(changes.length);
    try {
      for (const change of changes) {
        setJob(null);
        setStep(done.length + 1);
        await makeChange(force ? { ...change, force } : change, { onJob: setJob });
        done.unshift(change);
      }
      await gone?.leave();
    } catch (failure) {
      // What was made for the rest is of no use without it.
      for (const { undo } of done) {
        if (undo !== undefined) await makeChange(undo, { onJob: setJob }).catch(() => undefined);
      }
      throw failure;
    } finally {
      setJob(null);
      await readAgain(done.length === changes.length);
    }
  };
  return { make, job, step, steps };
}

/** @param onDone called when all is made, and everything that shows the schema has read it again */
export function useChange(onDone: () => void | Promise<void>, gone?: Gone) {
  const { make, ...progress } = useMaking(gone);
  const { mutate, variables, isPending, error, reset } = useMutation({
    mutationFn: ({ changes, force }: { changes: readonly Change[]; force: boolean }) =>
      make(changes, force),
    onSuccess: onDone,
  });
  const force = () => variables !== undefined && mutate({ ...variables, force: true });
  const work: Work = { ...progress, isPending, error, reset, force };
  return { ...work, run: (changes: readonly Change[]) => mutate({ changes, force: false }) };
}
