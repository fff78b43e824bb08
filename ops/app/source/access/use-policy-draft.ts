/** The draft of a policy: what is stored, and what has been changed of it and of its permissions. */
import { useCallback, useMemo, useRef, useState } from 'react';
import { sameValue } from '../data/values.ts';
import type { StoredPolicy } from './access-queries.ts';
import type { Policy } from './access-types.ts';
import { type Cells, cellsOf, type Rule, withCell } from './permission-rules.ts';

type Own = Omit<Policy, 'id'>;

interface Changes {
  readonly own: Partial<Own>;
  readonly cells: Cells;
}

const NOTHING: Changes = { own: {}, cells: new Map() };

function isNothing({ own, cells }: Changes): boolean {
  return Object.keys(own).length === 0 && cells.size === 0;
}

function without(own: Partial<Own>, stored: Own): Partial<Own> {
  const known = new Map<string, unknown>(Object.entries(stored));
  const changed = Object.entries(own).filter(([name, value]) => !sameValue(value, known.get(name)));
  return Object.fromEntries(changed);
}

export interface PolicyDraft {
  /** With its changes. */
  readonly policy: Policy;
  readonly own: Partial<Own>;
  readonly cells: Cells;
  readonly cellChanges: Cells;
  readonly tag: string | null;
  readonly dirty: boolean;
  /** Grows whenever the draft begins anew. */
  readonly round: number;
  readonly isDirty: () => boolean;
  readonly change: (part: Partial<Own>) => void;
  readonly changeCell: (key: string, rules: readonly Rule[]) => void;
  /** Forgets all changes. */
  readonly reset: () => void;
}

export function usePolicyDraft(latest: StoredPolicy): PolicyDraft {
  const [changes, setChanges] = useState(NOTHING);
  const [round, setRound] = useState(0);
  const now = useRef(changes);
  // What others save does not move the ground under changes; it is met when one saves.
  const base = useRef(latest);
  if (isNothing(changes)) base.current = latest;
  const stored = base.current;
  const cells = useMemo(() => cellsOf(stored.policy.permissions), [stored]);
  const take = useCallback((next: Changes) => {
    now.current = next;
    setChanges(next);
  }, []);
  const change = useCallback(
    (part: Partial<Own>) => {
      const own = without({ ...now.current.own, ...part }, base.current.policy);
      take({ ...now.current, own });
    },
    [take],
  );
  const changeCell = useCallback(
    (key: string, rules: readonly Rule[]) =>
      take({ ...now.current, cells: withCell(cells, now.current.cells, key, rules) }),
    [take, cells],
  );
  const reset = useCallback(() => {
    take(NOTHING);
    setRound((before) => before + 1);
  }, [take]);
  const isDirty = useCallback(() => !isNothing(now.current), []);
  return {
    policy: { ...stored.policy, ...changes.own },
    own: changes.own,
    cells,
    cellChanges: changes.cells,
    tag: stored.tag,
    dirty: !isNothing(changes),
    round,
    isDirty,
    change,
    changeCell,
    reset,
  };
}
