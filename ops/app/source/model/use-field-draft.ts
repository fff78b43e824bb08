/** The field that is edited: as it was, as it is now, and what somebody else has made of it meanwhile. */
import { useMemo, useState } from 'react';
import type { RelationKind } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import { type Change, pathOf } from './change.ts';
import { draftOf, fieldPatch, newDraft } from './field-draft.ts';
import { changedMembers, type FieldState, membersOf, withMembers } from './field-members.ts';
import { actionsOf, relationPatch } from './relation-part.tsx';
import { ChangedMeanwhile, readStored } from './stored.ts';

function stateOf(field: Field | null, relation: RelationKind | null): FieldState {
  return {
    draft: field === null ? newDraft('string', '') : draftOf(field),
    actions: relation === null ? null : actionsOf(relation),
  };
}

interface Sides {
  readonly base: FieldState;
  readonly mine: FieldState;
}

function same(one: FieldState, other: FieldState): boolean {
  return sameValue(membersOf(one), membersOf(other));
}

function changesOf({ base, mine }: Sides) {
  const { actions } = base;
  const relation =
    actions === null || mine.actions === null ? null : relationPatch(actions, mine.actions);
  return { field: fieldPatch(base.draft, mine.draft), relation };
}

export function useFieldDraft(field: Field | null, relation: RelationKind | null) {
  const latest = useMemo(() => stateOf(field, relation), [field, relation]);
  const [sides, setSides] = useState<Sides>({ base: latest, mine: latest });
  /** Counts how often the form begins anew from what is stored. */
  const [generation, setGeneration] = useState(0);
  const [theirs, setTheirs] = useState<FieldState | null>(null);
  const { base, mine } = sides;
  const changes = changesOf(sides);
  const begin = (next: Sides) => {
    setSides(next);
    setGeneration(generation + 1);
  };
  // A form without changes shows what is stored.
  if (mine === base && field !== null && !same(base, latest)) begin({ base: latest, mine: latest });
  const change = (next: Partial<FieldState>) =>
    setSides((known) => ({ ...known, mine: { ...known.mine, ...next } }));

  /** The changes of a field that is there, if nobody else has changed it. */
  const prepare = async (edited: Sides): Promise<readonly Change[]> => {
    if (field === null) return [];
    const own = ['fields', field.collection, field.field] as const;
    const many = relation?.relation;
    const link = many && (['relations', many.collection, many.field] as const);
    const [stored, linked] = await Promise.all([
      readStored<Field>(...own),
      link && readStored<Relation>(...link),
    ]);
    const found: FieldState = {
      draft: draftOf(stored.value),
      actions: linked === undefined ? null : actionsOf({ relation: linked.value }),
    };
    if (!same(found, edited.base)) {
      setTheirs(found);
      throw new ChangedMeanwhile();
    }
    const sent = changesOf(edited);
    const concurrently = edited.mine.draft.concurrently;
    const made: Change[] = [];
    if (sent.field !== null) {
      const path = pathOf(...own);
      made.push({ method: 'PATCH', path, body: sent.field, concurrently, tag: stored.tag });
    }
    if (sent.relation !== null && link !== undefined) {
      const tag = linked?.tag ?? null;
      made.push({ method: 'PATCH', path: pathOf(...link), body: sent.relation, tag });
    }
    return made;
  };

  /** Goes on from what is stored now with some members as they are here; null when none is left. */
  const rebase = (stored: FieldState, names: ReadonlySet<string>) => {
    const kept = Object.entries(changedMembers(base, mine)).filter(([name]) => names.has(name));
    const next = { base: stored, mine: withMembers(stored, Object.fromEntries(kept)) };
    begin(next);
    setTheirs(null);
    return kept.length === 0 ? null : () => prepare(next);
  };
  return {
    ...mine,
    generation,
    changed: mine !== base,
    isSame: changes.field === null && changes.relation === null,
    change,
    prepare: () => prepare(sides),
    conflict: theirs && {
      theirs: membersOf(theirs),
      base: membersOf(base),
      mine: changedMembers(base, mine),
      rebase: (names: ReadonlySet<string>) => rebase(theirs, names),
    },
    endConflict: () => setTheirs(null),
  };
}
