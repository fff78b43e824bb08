/** The settings of a collection while they are edited, and what somebody else has made of them meanwhile. */
import { useState } from 'react';
import type { Collection, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { type Change, pathOf } from './change.ts';
import { ChangedMeanwhile, readStored } from './stored.ts';

/** What holds for a table that nobody has described yet. */
const DEFAULTS: Item = { accountability: 'all', archive_app_filter: true, collapse: 'open' };
/** The order of collections is changed in their list. */
const ELSEWHERE = new Set(['collection', 'sort']);

function settingsOf({ meta }: Collection): Item {
  const all = { ...DEFAULTS, ...meta };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !ELSEWHERE.has(name)));
}

function differences(base: Item, changes: Item): Item {
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !sameValue(value, base[name])),
  );
}

interface Edited {
  /** What was stored when the first change was made; null while there is none. */
  readonly base: Item | null;
  readonly changes: Item;
}

const UNCHANGED: Edited = { base: null, changes: {} };

export function useCollectionDraft(collection: Collection) {
  const { collection: name } = collection;
  const [edited, setEdited] = useState(UNCHANGED);
  const [theirs, setTheirs] = useState<Item | null>(null);
  /** Counts how often all begins anew from what is stored. */
  const [generation, setGeneration] = useState(0);
  const stored = edited.base ?? settingsOf(collection);
  const mine = differences(stored, edited.changes);

  /** The change, if nobody else has made one. */
  const prepare = async (base: Item, changes: Item): Promise<readonly Change[]> => {
    const found = await readStored<Collection>('collections', name);
    const now = settingsOf(found.value);
    if (!sameValue(now, base)) {
      setTheirs(now);
      throw new ChangedMeanwhile();
    }
    const path = pathOf('collections', name);
    return [{ method: 'PATCH', path, body: { meta: changes }, tag: found.tag }];
  };
  /** Goes on from what is stored now with some of the changes; null when none is left. */
  const rebase = (now: Item, names: ReadonlySet<string>) => {
    const kept = Object.fromEntries(Object.entries(mine).filter(([member]) => names.has(member)));
    setEdited({ base: now, changes: kept });
    setTheirs(null);
    setGeneration((count) => count + 1);
    return Object.keys(kept).length === 0 ? null : () => prepare(now, kept);
  };
  return {
    stored,
    changes: edited.changes,
    values: { ...stored, ...edited.changes },
    changed: Object.keys(mine).length > 0,
    generation,
    set: (member: string, value: unknown) =>
      setEdited(({ base, changes }) => {
        const from = base ?? settingsOf(collection);
        const next = { ...changes, [member]: value };
        const isSame = Object.keys(differences(from, next)).length === 0;
        return isSame ? UNCHANGED : { base: from, changes: next };
      }),
    reset: () => setEdited(UNCHANGED),
    prepare: () => prepare(stored, mine),
    conflict: theirs && {
      ...{ base: stored, mine, theirs },
      rebase: (names: ReadonlySet<string>) => rebase(theirs, names),
    },
    endConflict: () => setTheirs(null),
  };
}
