/** The draft of a policy: what is stored, and what has been changed of it and of its permissions. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { changedSinceSaved, sameValue } from '../data/values.ts';
import type { StoredPolicy } from './access-queries.ts';
import type { Policy } from './access-types.ts';
import {
  type Cells,
  cellsOf,
  NO_RULES,
  permissionChanges,
  type Rule,
  withCell,
} from './permission-rules.ts';

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

/** The name under which the changes of a cell are compared with those of somebody else. */
export const CELL = 'cell:';

/** All of a policy by names: its fields, and its cells without the keys of their rows. */
function policyItem(own: object, cells: Cells): Item {
  const bare = [...cells].map(([key, rules]) => [
    CELL + key,
    rules.map(({ id: _, ...rule }) => rule),
  ]);
  return { ...own, ...Object.fromEntries(bare) };
}

/** What is stored, with an empty cell for each that is changed. */
export function storedItem({ policy }: StoredPolicy, cells: Cells, changed: Cells): Item {
  const empty = [...changed.keys()].map((key) => [key, NO_RULES] as const);
  const { id: _, permissions: __, ...own } = policy;
  return policyItem(own, new Map([...empty, ...cells]));
}

/** Rules as they are written over others: rows that are gone are made anew. */
function over(rules: readonly Rule[], stored: readonly Rule[] = NO_RULES): readonly Rule[] {
  const known = new Set(stored.map(({ id }) => id));
  return rules.map((rule) => (known.has(rule.id) ? rule : { ...rule, id: null }));
}

/** What is sent to store changes. */
function payloadOf(stored: Cells, { own, cells }: Changes): Item {
  const permissions = permissionChanges(stored, cells);
  return { ...own, ...(permissions !== null && { permissions }) };
}

export interface PolicyDraft {
  /** With its changes. */
  readonly policy: Policy;
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
  /** What is sent to store the changes. */
  readonly payload: Item;
  /** What was stored when the changes began, and the changes, by names. */
  readonly base: Item;
  readonly mine: Item;
  /** Goes on from what is stored now, with the changes of some names; yields what is sent then. */
  readonly rebase: (stored: StoredPolicy, kept: ReadonlySet<string>) => Item;
  /** Goes on from what is stored now that these changes are saved, with those made meanwhile. */
  readonly settle: (saved: Item, stored: StoredPolicy) => void;
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
  const rebase = useCallback(
    (next: StoredPolicy, kept: ReadonlySet<string>) => {
      base.current = next;
      const theirs = cellsOf(next.policy.permissions);
      const own = Object.entries(now.current.own).filter(([name]) => kept.has(name));
      const changed = [...now.current.cells]
        .filter(([key]) => kept.has(CELL + key))
        .map(([key, rules]) => [key, over(rules, theirs.get(key))] as const);
      take({
        own: without(Object.fromEntries(own), next.policy),
        cells: new Map(changed),
      });
      return payloadOf(theirs, now.current);
    },
    [take],
  );
  const reset = useCallback(() => {
    take(NOTHING);
    setRound((before) => before + 1);
  }, [take]);
  const settle = useCallback(
    (saved: Item, next: StoredPolicy) => {
      const { own, cells: changed } = now.current;
      const since = changedSinceSaved(saved, policyItem(own, changed));
      if (since.size === 0) reset();
      else rebase(next, since);
    },
    [reset, rebase],
  );
  const isDirty = useCallback(() => !isNothing(now.current), []);
  return {
    policy: { ...stored.policy, ...changes.own },
    cells,
    cellChanges: changes.cells,
    tag: stored.tag,
    dirty: !isNothing(changes),
    round,
    isDirty,
    change,
    changeCell,
    reset,
    payload: payloadOf(cells, changes),
    base: storedItem(stored, cells, changes.cells),
    mine: policyItem(changes.own, changes.cells),
    rebase,
    settle,
  };
}
