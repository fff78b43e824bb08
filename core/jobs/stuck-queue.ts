/** Detects a queue from which no worker takes jobs although a job could run and a slot is free. */
import type { Observation, ObservedQueue } from './queue-observation.ts';

/** Maximum concurrent jobs of a queue over all workers; null when a worker does not report it. */
export function slotsOf({ workers }: Observation, queue: string): number | null {
  let slots = 0;
  for (const { report } of workers) {
    if (report === null) return null;
    slots += report.slots[queue] ?? 0;
  }
  return slots;
}

/** Whether a job could have run for this long, a slot is free, and no worker has taken any job. */
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
