/** The changes that make a relation: fields, the junction, and the relations between them. */
import type { Field, Item } from '../data/schema-types.ts';
import { type Change, pathOf } from './change.ts';
import { type CompleteRelation, hasJunction } from './relation-draft.ts';

/** The column that a field needs which refers to a key. */
export interface KeyColumn {
  readonly type: string;
  readonly schema: Item;
}

export function keyColumn(fields: readonly Field[]): KeyColumn | null {
  const key = fields.find(({ schema }) => schema?.is_primary_key);
  if (key === undefined || key.schema === null) return null;
  const { max_length: length } = key.schema;
  return { type: key.type, schema: length === null ? {} : { max_length: length } };
}

function newField(collection: string, body: Item & { readonly field: string }): Change {
  return {
    ...{ method: 'POST', path: pathOf('fields', collection), body },
    undo: { method: 'DELETE', path: pathOf('fields', collection, body.field) },
  };
}

function alias(collection: string, field: string, flag: string, shown: string): Change {
  const meta = { special: [flag], interface: shown };
  return newField(collection, { field, type: 'alias', schema: null, meta });
}

function newRelation(body: Item): Change {
  return { method: 'POST', path: '/relations', body };
}

function newCollection(collection: string, body: Item): Change {
  return {
    ...{ method: 'POST', path: '/collections', body: { collection, schema: {}, ...body } },
    undo: { method: 'DELETE', path: pathOf('collections', collection) },
  };
}

function reference(field: string, key: KeyColumn, shown: Item): Item & { readonly field: string } {
  return { field, type: key.type, schema: key.schema, meta: { special: ['m2o'], ...shown } };
}

/** Whether a field that is there can take over a reference to a key: a plain column of its type. */
export function canRefer({ type, schema, meta }: Field, key: Pick<KeyColumn, 'type'>): boolean {
  if (schema === null || meta?.system === true) return false;
  const { is_primary_key: isKey, is_generated: isGenerated, foreign_key_table: target } = schema;
  return type === key.type && !isKey && !isGenerated && target === null;
}

/** Shows a column that is there as a reference. */
function adopt({ collection, field, meta }: Field): Change {
  const path = pathOf('fields', collection, field);
  const before = { special: meta?.special ?? null, interface: meta?.interface ?? null };
  return {
    ...{ method: 'PATCH', path, undo: { method: 'PATCH', path, body: { meta: before } } },
    body: { meta: { special: ['m2o'], interface: 'select-dropdown-m2o' } },
  };
}

/** The changes that give a relation a list on the other side, which it lacks. */
export function reverseChanges(
  { collection, field }: { readonly collection: string; readonly field: string },
  related: string,
  name: string,
): readonly Change[] {
  const body = { meta: { one_field: name } };
  return [
    alias(related, name, 'o2m', 'list-o2m'),
    { method: 'PATCH', path: pathOf('relations', collection, field), body },
  ];
}

const SORT = { field: 'sort', type: 'integer', schema: {}, meta: { hidden: true } } as const;

function toOne(
  relation: CompleteRelation,
  key: KeyColumn,
  adopted: Field | undefined,
): readonly Change[] {
  const { collection, field, related, reverse, onDelete, onDeselect, kind, image } = relation;
  const shown =
    kind === 'file'
      ? { special: ['file'], interface: image ? 'file-image' : 'file' }
      : { interface: 'select-dropdown-m2o' };
  return [
    adopted === undefined ? newField(collection, reference(field, key, shown)) : adopt(adopted),
    ...(reverse === '' ? [] : [alias(related, reverse, 'o2m', 'list-o2m')]),
    newRelation({
      ...{ collection, field, related_collection: related },
      schema: { on_delete: onDelete },
      meta: { one_field: reverse === '' ? null : reverse, one_deselect_action: onDeselect },
    }),
  ];
}

function toMany(relation: CompleteRelation, ownKey: KeyColumn, taken: boolean): readonly Change[] {
  const { collection, field, related, reverse, onDelete, onDeselect, sorted } = relation;
  return [
    newField(related, reference(reverse, ownKey, { interface: 'select-dropdown-m2o' })),
    ...(sorted && !taken ? [newField(related, SORT)] : []),
    alias(collection, field, 'o2m', 'list-o2m'),
    newRelation({
      ...{ collection: related, field: reverse, related_collection: collection },
      schema: { on_delete: onDelete },
      meta: {
        one_field: field,
        one_deselect_action: onDeselect,
        sort_field: sorted ? 'sort' : null,
      },
    }),
  ];
}

const ID = {
  field: 'id',
  type: 'integer',
  schema: { is_primary_key: true, has_auto_increment: true },
  meta: { hidden: true, readonly: true, interface: 'input' },
} as const;

/** The languages themselves, when nobody has made a collection of them. */
export function languagesChange(name: string): Change {
  return newCollection(name, {
    meta: { icon: 'translate', hidden: true, display_template: '{{name}}' },
    fields: [
      {
        field: 'code',
        type: 'string',
        schema: { is_primary_key: true, max_length: 16 },
        meta: { interface: 'input' },
      },
      { field: 'name', type: 'string', schema: {}, meta: { interface: 'input' } },
    ],
  });
}

function texts({ texts: names }: CompleteRelation): readonly Item[] {
  return names.map((field) => ({
    ...{ field, type: 'text', schema: {} },
    meta: { interface: 'input-multiline' },
  }));
}

function onwardFields(relation: CompleteRelation, key: KeyColumn | null): readonly Item[] {
  const { kind, far } = relation;
  if (kind === 'm2a') {
    return [
      { field: far, type: 'string', schema: { max_length: 255 }, meta: { hidden: true } },
      { field: 'collection', type: 'string', schema: { max_length: 64 }, meta: { hidden: true } },
    ];
  }
  return key === null ? [] : [reference(far, key, { hidden: true })];
}

const INTERFACES: Readonly<Record<string, string>> = {
  m2m: 'list-m2m',
  m2a: 'list-m2a',
  files: 'files',
  translations: 'translations',
};

function through(
  relation: CompleteRelation,
  ownKey: KeyColumn,
  key: KeyColumn | null,
): readonly Change[] {
  const { kind, collection, field, related, reverse, junction, near, far, sorted } = relation;
  const { onDelete, onDeselect, allowed } = relation;
  const isAny = kind === 'm2a';
  const schema = { on_delete: onDelete };
  return [
    newCollection(junction, {
      meta: { hidden: true, icon: isAny ? 'polyline' : 'link' },
      fields: [
        ID,
        reference(near, ownKey, { hidden: true }),
        ...onwardFields(relation, key),
        ...(sorted ? [SORT] : []),
        ...(kind === 'translations' ? texts(relation) : []),
      ],
    }),
    alias(collection, field, kind, INTERFACES[kind] ?? 'list-m2m'),
    ...(reverse === '' ? [] : [alias(related, reverse, 'm2m', 'list-m2m')]),
    newRelation({
      ...{ collection: junction, field: near, related_collection: collection, schema },
      meta: {
        ...{ one_field: field, junction_field: far, one_deselect_action: onDeselect },
        sort_field: sorted ? 'sort' : null,
      },
    }),
    newRelation(
      isAny
        ? {
            ...{ collection: junction, field: far, related_collection: null },
            meta: {
              one_collection_field: 'collection',
              one_allowed_collections: allowed,
              junction_field: near,
            },
          }
        : {
            ...{ collection: junction, field: far, related_collection: related, schema },
            meta: { one_field: reverse === '' ? null : reverse, junction_field: near },
          },
    ),
  ];
}

export interface Keys {
  readonly own: KeyColumn;
  /** Null for several collections. */
  readonly related: KeyColumn | null;
  /** Whether the other end has a field for the order already. */
  readonly relatedHasSort: boolean;
  /** The column that becomes the reference; without one it is made. */
  readonly adopted?: Field | undefined;
}

/** All changes in their order; each but the last can be taken back. */
export function relationChanges(relation: CompleteRelation, keys: Keys): readonly Change[] {
  const { kind } = relation;
  if (hasJunction(kind)) return through(relation, keys.own, keys.related);
  if (kind === 'o2m') return toMany(relation, keys.own, keys.relatedHasSort);
  return keys.related === null ? [] : toOne(relation, keys.related, keys.adopted);
}

export interface Made {
  readonly what: 'collection' | 'field' | 'relation';
  readonly name: string;
}

/** What the changes make, for people to read. */
export function madeBy(changes: readonly Change[]): readonly Made[] {
  const making = changes.filter(({ method }) => method === 'POST');
  return making.map(({ path, body }) => {
    const made: Item = { ...(typeof body === 'object' ? body : null) };
    const { collection, field } = made;
    if (path === '/collections') return { what: 'collection', name: String(collection) };
    if (path === '/relations') return { what: 'relation', name: `${collection}.${field}` };
    return { what: 'field', name: `${decodeURIComponent(path.split('/').at(-1) ?? '')}.${field}` };
  });
}
