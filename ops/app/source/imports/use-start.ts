/** Sends a file to be imported, tells how far it is, and yields the job that imports it. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { attemptKey, endAttempt } from './attempt.ts';
import { mediaType, optionsOf, type Plan } from './plan.ts';

export interface Sending {
  readonly collection: string;
  readonly name: string;
  readonly content: File | string;
  readonly plan: Plan;
  readonly dryRun: boolean;
}

/** What makes two attempts the same work. */
function workOf({ collection, name, content, plan, dryRun }: Sending): string {
  const file =
    typeof content === 'string' ? content : [content.size, content.lastModified].join(' ');
  return JSON.stringify([collection, name, file, plan, dryRun]);
}

export function useStart(onAccepted: (job: Job, sending: Sending) => void) {
  const [percent, setPercent] = useState(0);
  const control = useRef<AbortController | null>(null);
  // Who leaves gives up what has not arrived.
  useEffect(() => () => control.current?.abort(), []);
  const mutation = useMutation({
    mutationFn: async (sending: Sending): Promise<Job> => {
      const { collection, name, content, plan, dryRun } = sending;
      const controller = new AbortController();
      control.current = controller;
      setPercent(0);
      const run = client.items(collection).import(
        { name, content, type: mediaType(plan.format) },
        {
          ...optionsOf(plan),
          ...(dryRun && { dry_run: true }),
          idempotencyKey: attemptKey(workOf(sending)),
          signal: controller.signal,
        },
      );
      for await (const step of run) {
        if (step.stage === 'job') break;
        if (step.total !== null) setPercent((100 * step.bytes) / Math.max(step.total, 1));
      }
      return run.job;
    },
    onSuccess: (job, sending) => {
      endAttempt(workOf(sending));
      // Its screen follows the job.
      control.current?.abort();
      onAccepted(job, sending);
    },
  });
  const cancel = () => {
    control.current?.abort();
    mutation.reset();
  };
  const { mutate: start, isPending, error } = mutation;
  return { start, isPending, error, percent, cancel };
}
