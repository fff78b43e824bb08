/** Work on the schema, as screens do it: one change, or several that belong together. */
import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Job, PreconditionFailedError } from '../../../client/source/index.ts';
import { CALLER, SCHEMA } from '../data/query-keys.ts';
import { type Change, makeChange } from './change.ts';

/** Finds out what is to be changed, again when somebody else was faster. */
export type Preparation = () => Promise<readonly Change[]>;

export interface Work {
  readonly run: (changes: readonly Change[] | Preparation) => void;
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

interface Given {
  readonly changes: readonly Change[] | Preparation;
  /** Accepts that values are lost. */
  readonly force: boolean;
}

/** @param onDone called when all is made, and everything that shows the schema has read it again */
export function useChange(onDone: () => void | Promise<void>, gone?: Gone): Work {
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
  const { mutate, variables, isPending, error, reset } = useMutation({
    mutationFn: async ({ changes: given, force }: Given) => {
      const done: Change[] = [];
      let count = 0;
      const make = async (changes: readonly Change[]) => {
        count = changes.length;
        setSteps(count);
        for (const change of changes) {
          setJob(null);
          setStep(done.length + 1);
          await makeChange(force ? { ...change, force } : change, { onJob: setJob });
          done.unshift(change);
        }
      };
      const prepared = async () => make(typeof given === 'function' ? await given() : given);
      try {
        await prepared().catch((failure) => {
          const again = typeof given === 'function' && done.length === 0;
          if (!(again && failure instanceof PreconditionFailedError)) throw failure;
          return prepared();
        });
        await gone?.leave();
      } catch (failure) {
        // What was made for the rest is of no use without it.
        for (const { undo } of done) {
          if (undo !== undefined) await makeChange(undo, { onJob: setJob }).catch(() => undefined);
        }
        throw failure;
      } finally {
        setJob(null);
        await readAgain(done.length === count);
      }
    },
    onSuccess: onDone,
  });
  return {
    ...{ isPending, error, reset, job, step, steps },
    run: (changes) => mutate({ changes, force: false }),
    force: () => variables !== undefined && mutate({ ...variables, force: true }),
  };
}
