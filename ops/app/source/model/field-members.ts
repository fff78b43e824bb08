/** A field and its relation as members with a name each, to see where changes of two people meet. */
import type { RelationKind } from '../data/relation-of.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { draftOf, type FieldDraft, newDraft } from './field-draft.ts';
import { actionsOf, type RelationActions } from './relation-part.tsx';

/** What the form of a field changes. */
export interface FieldState {
  readonly draft: FieldDraft;
  /** Null for a field without a relation. */
  readonly actions: RelationActions | null;
}

/** Those that are changed elsewhere: the order of fields is a change of its own. */
const ELSEWHERE = new Set(['meta.id', 'meta.sort', 'meta.collection', 'meta.field']);

/** @param field null for one that is made */
export function stateOf(
  field: Field | null,
  relation: Pick<RelationKind, 'relation'> | null,
): FieldState {
  return {
    draft: field === null ? newDraft('string', '') : draftOf(field),
    actions: relation === null ? null : actionsOf(relation),
  };
}

function prefixed(prefix: string, values: object): Item {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]),
  );
}

function part(members: Item, prefix: string): Item {
  return Object.fromEntries(
    Object.entries(members).flatMap(([path, value]) =>
      path.startsWith(`${prefix}.`) ? [[path.slice(prefix.length + 1), value]] : [],
    ),
  );
}

export function membersOf({ draft: { schema, meta, ...own }, actions }: FieldState): Item {
  const all = {
    ...own,
    ...prefixed('schema', schema),
    ...prefixed('meta', meta),
    ...prefixed('relation', actions ?? {}),
  };
  return Object.fromEntries(Object.entries(all).filter(([path]) => !ELSEWHERE.has(path)));
}

/** Another state, with some members of this one. */
export function withMembers({ draft, actions }: FieldState, members: Item): FieldState {
  const { field, type, concurrently } = members;
  return {
    draft: {
      field: typeof field === 'string' ? field : draft.field,
      type: typeof type === 'string' ? type : draft.type,
      concurrently: concurrently === true,
      schema: { ...draft.schema, ...part(members, 'schema') },
      meta: { ...draft.meta, ...part(members, 'meta') },
    },
    actions: actions === null ? null : { ...actions, ...part(members, 'relation') },
  };
}
