/** Tells a queue that nobody takes jobs from, from one that has no job that could run or no free slot. */
import type { Observation, ObservedQueue } from './queue-observation.ts';

/** Jobs of a queue that all workers together do at the same time; null when one does not say it. */
export function slotsOf({ workers }: Observation, queue: string): number | null {
  let slots = 0;
  for (const { report } of workers) {
    if (report === null) return null;
    slots += report.slots[queue] ?? 0;
  }
  return slots;
}

/** Whether a job could have run for so long, a slot is free, and nobody has taken any job. */
export function isStuck(
  observation: Observation,
  { name, eligible, touched, running }: ObservedQueue,
  after: number,
): boolean {
  if (eligible === null || eligible.age < after || touched) return false;
  if (observation.workers.length === 0) return true;
  const slots = slotsOf(observation, name);
  return slots === null ? running === 0 : running < slots;
}
