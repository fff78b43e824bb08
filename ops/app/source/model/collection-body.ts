/** What the API is sent for a new collection: its key, and the fields that the server fills. */
import type { Item } from '../data/schema-types.ts';

export const KEYS = ['integer', 'bigInteger', 'uuid', 'string'] as const;
export type KeyKind = (typeof KEYS)[number];

export const SYSTEM_FIELDS = [
  'status',
  'sort',
  'user_created',
  'date_created',
  'user_updated',
  'date_updated',
] as const;
export type SystemField = (typeof SYSTEM_FIELDS)[number];

export interface NewCollection {
  readonly name: string;
  /** Without a table: it only groups others. */
  readonly folder: boolean;
  readonly keyName: string;
  readonly keyKind: KeyKind;
  readonly fields: readonly SystemField[];
  /** The texts of the states of `status`, in the language of who makes it. */
  readonly states: Readonly<Record<'published' | 'draft' | 'archived', string>>;
  readonly meta: Item;
}

function keyField({ keyName, keyKind }: NewCollection): Item {
  const field = keyName.trim();
  const counts = keyKind === 'integer' || keyKind === 'bigInteger';
  const schema = { is_primary_key: true, is_nullable: false, has_auto_increment: counts };
  if (keyKind === 'string') {
    return { field, type: keyKind, schema, meta: { interface: 'input', required: true } };
  }
  const meta = { interface: 'input', readonly: true, hidden: true };
  return {
    ...{ field, type: keyKind, schema },
    meta: keyKind === 'uuid' ? { ...meta, special: ['uuid'] } : meta,
  };
}

/** Who or when, filled by the server and only read in forms. */
function stamp(field: string, type: string, special: string): Item {
  const meta = { special: [special], readonly: true, hidden: true, width: 'half' };
  const shown =
    type === 'timestamp' ? { interface: 'datetime' } : { interface: 'select-dropdown-m2o' };
  return { field, type, schema: {}, meta: { ...meta, ...shown } };
}

function statusField({ states }: NewCollection): Item {
  const choices = Object.entries(states).map(([value, text]) => ({ value, text }));
  return {
    field: 'status',
    type: 'string',
    schema: { is_nullable: false, default_value: 'draft', max_length: 20 },
    meta: { interface: 'select-dropdown', width: 'half', options: { choices } },
  };
}

function fieldOf(name: SystemField, collection: NewCollection): Item {
  switch (name) {
    case 'status':
      return statusField(collection);
    case 'sort':
      return {
        field: 'sort',
        type: 'integer',
        schema: {},
        meta: { interface: 'input', hidden: true },
      };
    case 'user_created':
      return stamp(name, 'uuid', 'user-created');
    case 'user_updated':
      return stamp(name, 'uuid', 'user-updated');
    case 'date_created':
      return stamp(name, 'timestamp', 'date-created');
    case 'date_updated':
      return stamp(name, 'timestamp', 'date-updated');
  }
}

/** The body of `POST /collections`. */
export function collectionBody(collection: NewCollection): Item {
  const { name, folder, fields, meta } = collection;
  const common = { collection: name.trim() };
  if (folder) return { ...common, schema: null, meta };
  const chosen = SYSTEM_FIELDS.filter((field) => fields.includes(field));
  return {
    ...common,
    schema: {},
    meta: {
      ...meta,
      ...(fields.includes('sort') && { sort_field: 'sort' }),
      ...(fields.includes('status') && {
        archive_field: 'status',
        archive_value: 'archived',
        unarchive_value: 'draft',
      }),
    },
    fields: [keyField(collection), ...chosen.map((field) => fieldOf(field, collection))],
  };
}

/** The relations of the fields that name a user; a user who is deleted leaves the items. */
export function userRelations({ name, fields, folder }: NewCollection): readonly Item[] {
  if (folder) return [];
  return (['user_created', 'user_updated'] as const)
    .filter((field) => fields.includes(field))
    .map((field) => ({
      collection: name.trim(),
      field,
      related_collection: 'system_users',
      schema: { on_delete: 'SET NULL' },
    }));
}
