/** What this browser remembers of its imports: what is needed to send corrected rows in the same way. */
import { useStore, useStoreContext } from 'ra-core';
import { useCallback, useMemo } from 'react';
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

export function useRememberedImports() {
  const [all] = useStore<readonly RememberedImport[]>(STORE, NOTHING);
  const store = useStoreContext();
  const find = useCallback((job: string) => all.find((one) => one.job === job) ?? null, [all]);
  /** Keeps an import; `rows` are those of the import that it corrects which went with it. */
  const remember = useCallback(
    (one: RememberedImport, rows: readonly number[] = []) => {
      const sent = Object.fromEntries(rows.map((row) => [row, one.job]));
      const known = store.getItem(STORE, NOTHING) ?? NOTHING;
      const others = known
        .filter(({ job }) => job !== one.job)
        .map((other) =>
          other.job === one.corrects ? { ...other, sent: { ...other.sent, ...sent } } : other,
        );
      store.setItem(STORE, [one, ...others].slice(0, KEPT));
    },
    [store],
  );
  return useMemo(() => ({ find, remember }), [find, remember]);
}
