/** The report of a worker in the registry of processes, for the health of the installation. */
import * as v from 'valibot';

const entries = v.record(v.string(), v.number());

/** Reports of later releases may contain more. */
const workerReport = v.object({
  /** Why it cannot take jobs; null when it can. */
  reason: v.nullable(v.string()),
  /** Maximum concurrent jobs of each queue. */
  slots: entries,
  /** Milliseconds since each of its jobs began or made progress, by `<id>/<attempt>`. */
  jobs: entries,
});
export type WorkerReport = v.InferOutput<typeof workerReport>;

/** Null when the worker belongs to a release without reports, or with another format. */
export function readReport(value: unknown): WorkerReport | null {
  const result = v.safeParse(workerReport, value);
  return result.success ? result.output : null;
}

/** The name of a delivery in a report. */
export function deliveryName({ id, attempt }: { id: string; attempt: number }): string {
  return `${id}/${attempt}`;
}
