/** The life of a job as successive parts: waiting, each attempt with its phases, and its end. */
import type { Job } from '../../../client/source/index.ts';
import { isItem } from '../data/values.ts';

export interface TimelinePart {
  readonly kind: 'waiting' | 'attempt' | 'phase' | 'end';
  /** The number of the attempt, the name of the phase, or the final state. */
  readonly name: string;
  /** When it began, ISO-8601. */
  readonly from: string;
  /** When it ended; null while it goes on. */
  readonly to: string | null;
  /** How an attempt ended that did not complete the job. */
  readonly failure?: { readonly isLost: boolean; readonly reason: string };
}

interface Failure {
  readonly attempt: number;
  readonly on: string;
  readonly reason: string;
  readonly isLost: boolean;
}

function failuresOf({ failures }: Job): readonly Failure[] {
  if (!Array.isArray(failures)) return [];
  return failures.filter(isItem).map(({ attempt, on, reason, lost }) => ({
    ...{ attempt: Number(attempt), on: String(on), reason: String(reason), isLost: lost === true },
  }));
}

/** The phases of the latest attempt, as its progress tells them. */
function phasesOf({ progress }: Job, end: string | null): readonly TimelinePart[] {
  const phases = Array.isArray(progress?.phases) ? progress.phases.filter(isItem) : [];
  return phases.map(({ name, on }, place) => {
    const next = phases[place + 1]?.on;
    const to = next === undefined ? end : String(next);
    return { kind: 'phase', name: String(name), from: String(on), to };
  });
}

/** What the job does now; null when it does not tell. */
export function currentPhase({ progress, state }: Job): string | null {
  const phase = progress?.phase;
  return state === 'running' && typeof phase === 'string' ? phase : null;
}

/** The parts of a job, the oldest first. */
export function timelineOf(job: Job): readonly TimelinePart[] {
  const { created_on, started_on, finished_on, state, attempts } = job;
  const claimed = typeof job.claimed_on === 'string' ? job.claimed_on : null;
  const waited = started_on ?? finished_on;
  const parts: TimelinePart[] = [
    { kind: 'waiting', name: 'waiting', from: created_on, to: waited },
  ];
  let from = started_on;
  for (const { attempt, on, ...failure } of failuresOf(job)) {
    // An attempt before a retry by a person belongs to an earlier life of the job.
    if (from === null || on < from) continue;
    parts.push({ kind: 'attempt', name: String(attempt), from, to: on, failure });
    from = on;
  }
  const isOpenAttempt = parts.at(-1)?.name !== String(attempts) || parts.length === 1;
  if (from !== null && isOpenAttempt) {
    const begun = claimed !== null && claimed > from ? claimed : from;
    if (state === 'running' || finished_on !== null) {
      parts.push({ kind: 'attempt', name: String(attempts), from: begun, to: finished_on });
      parts.push(...phasesOf(job, finished_on));
    }
  }
  if (state === 'waiting' && from !== null) {
    parts.push({ kind: 'waiting', name: 'again', from, to: null });
  }
  if (finished_on !== null)
    parts.push({ kind: 'end', name: state, from: finished_on, to: finished_on });
  return parts;
}
