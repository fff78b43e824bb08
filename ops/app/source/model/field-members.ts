/** A field and its relation as members with a name each, to see where changes of two people meet. */
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import type { FieldDraft } from './field-draft.ts';
import type { RelationActions } from './relation-part.tsx';

/** What the form of a field changes. */
export interface FieldState {
  readonly draft: FieldDraft;
  /** Null for a field without a relation. */
  readonly actions: RelationActions | null;
}

/** Those that are changed elsewhere: the order of fields is a change of its own. */
const ELSEWHERE = new Set(['meta.id', 'meta.sort', 'meta.collection', 'meta.field']);

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

export function membersOf({ draft: { type, schema, meta }, actions }: FieldState): Item {
  const all = {
    type,
    ...prefixed('schema', schema),
    ...prefixed('meta', meta),
    ...prefixed('relation', actions ?? {}),
  };
  return Object.fromEntries(Object.entries(all).filter(([path]) => !ELSEWHERE.has(path)));
}

/** The members that are not as they were. */
export function changedMembers(before: FieldState, after: FieldState): Item {
  const known = membersOf(before);
  return Object.fromEntries(
    Object.entries(membersOf(after)).filter(([path, value]) => !sameValue(value, known[path])),
  );
}

/** Another state, with some members of this one. */
export function withMembers({ draft, actions }: FieldState, members: Item): FieldState {
  return {
    draft: {
      ...draft,
      type: typeof members.type === 'string' ? members.type : draft.type,
      schema: { ...draft.schema, ...part(members, 'schema') },
      meta: { ...draft.meta, ...part(members, 'meta') },
    },
    actions: actions === null ? null : { ...actions, ...part(members, 'relation') },
  };
}
