/**
 * Creates schema changes from the bodies of requests. An invalid body is refused with
 * INVALID_PAYLOAD, naming the member. Whether the change is possible is checked when it is applied.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { requireKnownMembers } from '#core/read/evaluate/known-members.ts';
import { issueReason } from './issue-reason.ts';
import {
  collectionMetaInput,
  fieldMetaInput,
  isIgnoredMember,
  relationMetaInput,
} from './metadata-input.ts';
import {
  collectionInput,
  fieldInput,
  fieldPatch,
  fieldSchemaInput,
  relationInput,
  relationSchemaInput,
  type SchemaChange,
} from './schema-change.ts';

/** An optional member; null means the same as missing. */
function given<S extends v.GenericSchema>(schema: S) {
  return v.optional(v.nullable(schema), null);
}

export const fieldBody = v.object({
  ...fieldInput.entries,
  schema: given(fieldSchemaInput),
  meta: given(fieldMetaInput),
  collection: v.optional(v.string()),
});

export const patchBody = v.object({
  ...fieldPatch.entries,
  field: v.optional(v.string()),
  collection: v.optional(v.string()),
});

export const patchesBody = v.array(
  v.object({ ...fieldPatch.entries, collection: v.optional(v.string()) }),
);

export const collectionBody = v.object({
  ...collectionInput.entries,
  schema: v.optional(collectionInput.entries.schema, null),
  meta: given(collectionMetaInput),
  fields: given(v.array(fieldBody)),
});

export const collectionPatch = v.object({
  collection: v.optional(v.string()),
  meta: given(collectionMetaInput),
  // Clients send objects back as they received them; these members cannot be changed.
  schema: v.optional(v.unknown()),
});

export const collectionPatches = v.array(
  v.object({ ...collectionPatch.entries, collection: v.string() }),
);

export const relationBody = v.object({
  ...relationInput.entries,
  related_collection: v.optional(relationInput.entries.related_collection, null),
  schema: given(relationSchemaInput),
  meta: given(relationMetaInput),
});

export const relationPatch = v.object({
  collection: v.optional(v.string()),
  field: v.optional(v.string()),
  related_collection: v.optional(v.nullable(v.string())),
  schema: v.optional(v.nullable(relationSchemaInput)),
  meta: v.optional(v.nullable(relationMetaInput)),
});

/** The body of a rename: the new name. */
export const collectionRename = v.object({ collection: collectionInput.entries.collection });
export const fieldRename = v.object({
  field: fieldInput.entries.field,
  collection: v.optional(v.string()),
});

const NO_OBJECT = reason('body_object_expected');

/** Whether PostgreSQL can store every text in it: no U+0000 and no unpaired surrogate. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

/** @param strict unknown members are refused; otherwise ignored, as existing clients expect */
function parse<S extends v.GenericSchema>(
  schema: S,
  body: unknown,
  strict: boolean,
): v.InferOutput<S> {
  // valibot accepts a list as an object without members.
  if (Array.isArray(body) && schema.type !== 'array') throw invalidPayload(NO_OBJECT);
  if (!isStorable(body)) throw invalidPayload(reason('body_invalid_unicode'));
  const result = v.safeParse(schema, body, { abortEarly: true, abortPipeEarly: true });
  if (!result.success) throw invalidPayload(issueReason(result.issues[0]));
  if (strict) requireKnownMembers(body, result.output, isIgnoredMember);
  return result.output;
}

/** A name in the body must be the same as in the path. */
function requireSame(member: string, value: string | null | undefined, path: string | null): void {
  if (value === undefined || value === path) return;
  throw invalidPayload(reason('member_unchangeable', { member, value: JSON.stringify(path) }));
}

type FieldBody = v.InferOutput<typeof fieldBody>;

function fieldOf({ collection, ...field }: FieldBody, owner: string) {
  requireSame('collection', collection, owner);
  return field;
}

/** The relevant members in the patch of a field. */
function patchOf({ collection, ...patch }: v.InferOutput<typeof patchBody>, owner: string) {
  requireSame('collection', collection, owner);
  return patch;
}

/** `POST /collections`: one collection, or a list of them. */
export function createCollections(
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'collections.create' } {
  const bodies = Array.isArray(body)
    ? parse(v.array(collectionBody), body, strict)
    : [parse(collectionBody, body, strict)];
  const collections = bodies.map(({ fields, ...collection }) => ({
    ...collection,
    fields: (fields ?? []).map((field) => fieldOf(field, collection.collection)),
  }));
  return { kind: 'collections.create', collections };
}

/** `PATCH /collections`: a list of collections with their new metadata. */
export function updateCollections(
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'collections.update' } {
  const updates = parse(collectionPatches, body, strict).map(({ collection, meta }) => ({
    collection,
    meta: meta ?? {},
  }));
  return { kind: 'collections.update', updates };
}

/** `PATCH /collections/:collection`: its new metadata. */
export function updateCollection(
  name: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'collections.update' } {
  const { collection, meta } = parse(collectionPatch, body, strict);
  requireSame('collection', collection, name);
  return { kind: 'collections.update', updates: [{ collection: name, meta: meta ?? {} }] };
}

/** `POST /fields/:collection` */
export function createField(
  collection: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'fields.create' } {
  const field = fieldOf(parse(fieldBody, body, strict), collection);
  return { kind: 'fields.create', collection, field };
}

/** `PATCH /fields/:collection`: a list of fields with their changes. */
export function updateFields(
  collection: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'fields.update' } {
  const fields = parse(patchesBody, body, strict).map(({ collection: owner, ...patch }) => {
    requireSame('collection', owner, collection);
    return patch;
  });
  return { kind: 'fields.update', collection, fields };
}

/** `PATCH /fields/:collection/:field`; a field cannot be renamed. */
export function updateField(
  collection: string,
  name: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'fields.update' } {
  const { field, ...patch } = patchOf(parse(patchBody, body, strict), collection);
  requireSame('field', field, name);
  return { kind: 'fields.update', collection, fields: [{ ...patch, field: name }] };
}

/** `POST /collections/:collection/rename`: the new name. */
export function renameCollection(
  name: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'collections.rename' } {
  const { collection: to } = parse(collectionRename, body, strict);
  return { kind: 'collections.rename', collection: name, to };
}

/** `POST /fields/:collection/:field/rename`: the new name. */
export function renameField(
  collection: string,
  name: string,
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'fields.rename' } {
  const { field: to, collection: owner } = parse(fieldRename, body, strict);
  requireSame('collection', owner, collection);
  return { kind: 'fields.rename', collection, field: name, to };
}

/** `POST /relations` */
export function createRelation(
  body: unknown,
  strict = false,
): SchemaChange & { kind: 'relations.create' } {
  return { kind: 'relations.create', relation: parse(relationBody, body, strict) };
}

/**
 * `PATCH /relations/:collection/:field`
 * @param related the current target, which cannot change; undefined when unknown
 */
export function updateRelation(
  collection: string,
  field: string,
  body: unknown,
  related: string | null | undefined,
  strict = false,
): SchemaChange & { kind: 'relations.update' } {
  const { related_collection: wanted, ...patch } = parse(relationPatch, body, strict);
  requireSame('collection', patch.collection, collection);
  requireSame('field', patch.field, field);
  if (related !== undefined) requireSame('related_collection', wanted, related);
  return { kind: 'relations.update', ...patch, collection, field };
}
