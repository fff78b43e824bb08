/** A field as its form changes it: what is stored of it and of its relation, and what is sent for it. */
import { client } from '../data/client.ts';
import type { RelationKind } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';
import type { Sending } from '../draft/use-save.ts';
import { type Change, pathOf } from './change.ts';
import { fieldPatch } from './field-draft.ts';
import { type FieldState, membersOf, stateOf, withMembers } from './field-members.ts';
import { relationPatch } from './relation-part.tsx';

export interface StoredField extends Stored {
  /** For `If-Match` of its relation. */
  readonly relationTag: string | null;
}

/** What is stored now of a part of the schema, with its tag. */
export async function readStored<Value>(path: string) {
  const answer = await client.open('GET', path);
  const { data }: { readonly data: Value } = await answer.json();
  return { value: data, tag: answer.headers.get('etag') };
}

const fieldPath = ({ collection, field }: Field) => pathOf('fields', collection, field);
const relationPath = ({ relation: { collection, field } }: RelationKind) =>
  pathOf('relations', collection, field);

export async function readStoredField(
  field: Field,
  relation: RelationKind | null,
): Promise<StoredField> {
  const [stored, linked] = await Promise.all([
    readStored<Field>(fieldPath(field)),
    relation && readStored<Relation>(relationPath(relation)),
  ]);
  const item = membersOf(stateOf(stored.value, linked && { relation: linked.value }));
  return { item, tag: stored.tag, relationTag: linked?.tag ?? null };
}

/** What the API is sent for the differences of two states; null for nothing. */
export function patchesOf(before: FieldState, after: FieldState) {
  const { actions } = before;
  const relation =
    actions === null || after.actions === null ? null : relationPatch(actions, after.actions);
  return { field: fieldPatch(before.draft, after.draft), relation };
}

/** The changes of a field that is there. */
export function fieldChanges(
  { changes, base }: Sending<StoredField>,
  field: Field,
  relation: RelationKind | null,
): readonly Change[] {
  const known = stateOf(field, relation);
  const before = withMembers(known, base.item);
  const after = withMembers(known, { ...base.item, ...changes });
  const sent = patchesOf(before, after);
  const { concurrently } = after.draft;
  const made: Change[] = [];
  if (sent.field !== null) {
    const path = fieldPath(field);
    made.push({ method: 'PATCH', path, body: sent.field, concurrently, tag: base.tag });
  }
  if (sent.relation !== null && relation !== null) {
    const path = relationPath(relation);
    made.push({ method: 'PATCH', path, body: sent.relation, tag: base.relationTag });
  }
  return made;
}
