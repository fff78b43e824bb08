/** What a worker says of itself in the registry of processes, for the health of the installation. */
import * as v from 'valibot';

const entries = v.record(v.string(), v.number());

/** Reports of later releases may contain more. */
const workerReport = v.object({
  /** Why it cannot take jobs; null when it can. */
  reason: v.nullable(v.string()),
  /** Jobs of each queue that it does at the same time. */
  slots: entries,
  /** Milliseconds since each of its jobs began or made progress, by `<id>/<attempt>`. */
  jobs: entries,
});
export type WorkerReport = v.InferOutput<typeof workerReport>;

/** Null when the worker belongs to a release that says nothing, or something else. */
export function readReport(value: unknown): WorkerReport | null {
  const result = v.safeParse(workerReport, value);
  return result.success ? result.output : null;
}

/** How a report names a delivery. */
export function deliveryName({ id, attempt }: { id: string; attempt: number }): string {
  return `${id}/${attempt}`;
}
