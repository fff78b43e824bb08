/** What this browser remembers of its imports: what is needed to send corrected rows in the same way. */

import { recall, remember, useStore } from '../data/store.ts';
import type { Plan } from './plan.ts';

export interface RememberedImport {
  readonly job: string;
  readonly file: string;
  readonly columns: readonly string[];
  readonly plan: Plan;
  readonly dryRun: boolean;
  /** The import whose rows were corrected for this one. */
  readonly corrects?: string;
  /** By the number of a row: the import with which it was sent again. */
  readonly sent: Readonly<Record<number, string>>;
}

const STORE = 'imports';
const KEPT = 30;
const NOTHING: readonly RememberedImport[] = [];

/** Keeps an import; `rows` are those of the import that it corrects which went with it. */
export function rememberImport(one: RememberedImport, rows: readonly number[] = []): void {
  const sent = Object.fromEntries(rows.map((row) => [row, one.job]));
  const others = recall(STORE, NOTHING)
    .filter(({ job }) => job !== one.job)
    .map((other) =>
      other.job === one.corrects ? { ...other, sent: { ...other.sent, ...sent } } : other,
    );
  remember(STORE, [one, ...others].slice(0, KEPT));
}

export function useRememberedImport(job: string): RememberedImport | null {
  const [all] = useStore<readonly RememberedImport[]>(STORE, NOTHING);
  return all.find((one) => one.job === job) ?? null;
}
