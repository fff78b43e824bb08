/**
 * What the metadata tables do not say about Sluice's own collections: the special flags of their
 * fields, their alias fields, and the relations between them.
 */
import { SYSTEM_PREFIX } from './catalog.ts';
import type { CollectionDescriptor, FieldMeta, RelationMeta } from './descriptor.ts';

/** By collection and field. A field without a column becomes an alias. */
const SPECIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  access: { id: 'uuid' },
  activity: { timestamp: 'date-created,cast-timestamp', revisions: 'o2m' },
  collections: { fields: 'o2m' },
  comments: {
    id: 'uuid',
    date_created: 'date-created',
    date_updated: 'date-updated',
    user_created: 'user-created',
    user_updated: 'user-updated',
  },
  files: {
    id: 'uuid',
    folder: 'm2o',
    uploaded_by: 'user-created',
    created_on: 'date-created',
    modified_by: 'user-updated',
    modified_on: 'date-created,date-updated',
    tags: 'cast-json',
  },
  folders: { id: 'uuid' },
  permissions: { fields: 'cast-csv' },
  policies: {
    id: 'uuid',
    ip_access: 'cast-csv',
    permissions: 'o2m',
    users: 'm2m',
    roles: 'm2m',
  },
  relations: { one_allowed_collections: 'cast-csv' },
  roles: { id: 'uuid', children: 'o2m', policies: 'm2m', users: 'o2m' },
  users: {
    id: 'uuid',
    password: 'hash,conceal',
    tags: 'cast-json',
    tfa_secret: 'conceal',
    email_notifications: 'cast-boolean',
    role: 'm2o',
    token: 'conceal',
    auth_data: 'conceal',
    policies: 'm2m',
  },
};

/** The one system collection that may have fields beside its own. */
const EXTENSIBLE = `${SYSTEM_PREFIX}users`;

/** What users have from the start; migrations alone change these. */
const USER_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'first_name', 'last_name', 'email', 'password', 'location', 'title', 'description'],
  ...['tags', 'avatar', 'language', 'text_direction', 'appearance', 'theme_light', 'theme_dark'],
  ...['theme_light_overrides', 'theme_dark_overrides', 'tfa_secret', 'email_notifications'],
  ...['status', 'role', 'token', 'provider', 'external_identifier', 'auth_data', 'last_access'],
  ...['last_page', 'policies'],
]);

/**
 * Whether a field is a fixed part of Sluice: every one of a system collection, but for those that
 * an installation has added to its users.
 */
export function isBuiltIn(
  collection: { readonly name: string; readonly system: boolean },
  field: string,
): boolean {
  return collection.system && (collection.name !== EXTENSIBLE || USER_FIELDS.has(field));
}

/** A field that refers to another collection, and what is known about the way back. */
interface Reference {
  readonly many: string;
  readonly field: string;
  readonly one: string;
  readonly back?: string;
  readonly junction?: string;
  readonly sort?: string;
}

const REFERENCES: readonly Reference[] = [
  {
    many: 'access',
    field: 'user',
    one: 'users',
    back: 'policies',
    junction: 'policy',
    sort: 'sort',
  },
  {
    many: 'access',
    field: 'role',
    one: 'roles',
    back: 'policies',
    junction: 'policy',
    sort: 'sort',
  },
  { many: 'access', field: 'policy', one: 'policies', back: 'users', junction: 'user' },
  { many: 'access', field: 'policy', one: 'policies', back: 'roles', junction: 'role' },
  { many: 'permissions', field: 'policy', one: 'policies', back: 'permissions' },
  { many: 'roles', field: 'parent', one: 'roles', back: 'children' },
  { many: 'users', field: 'role', one: 'roles', back: 'users' },
  { many: 'activity', field: 'user', one: 'users' },
  { many: 'revisions', field: 'activity', one: 'activity', back: 'revisions' },
  { many: 'fields', field: 'collection', one: 'collections', back: 'fields' },
];

function fieldMeta(field: string, special: string): FieldMeta {
  return { field, special: special.split(','), searchable: true, required: false, row: {} };
}

function relationMeta({ many, field, one, back, junction, sort }: Reference): RelationMeta {
  return {
    // These stand in no table.
    id: 0,
    manyCollection: SYSTEM_PREFIX + many,
    manyField: field,
    oneCollection: SYSTEM_PREFIX + one,
    oneField: back ?? null,
    oneCollectionField: null,
    oneAllowedCollections: null,
    junctionField: junction ?? null,
    sortField: sort ?? null,
    oneDeselectAction: junction === undefined ? 'nullify' : 'delete',
  };
}

const described = new WeakMap<CollectionDescriptor, CollectionDescriptor>();

function describe(descriptor: CollectionDescriptor): CollectionDescriptor {
  const name = descriptor.name.slice(SYSTEM_PREFIX.length);
  const fields = Object.entries(SPECIALS[name] ?? {}).map(([field, special]) =>
    fieldMeta(field, special),
  );
  const relations = REFERENCES.filter(({ many }) => many === name).map(relationMeta);
  const ownFields = new Set(fields.map(({ field }) => field));
  const ownRelations = new Set(relations.map(({ manyField }) => manyField));
  return {
    ...descriptor,
    // What is said here counts: nobody unmasks a password by a row of metadata.
    fields: [...fields, ...descriptor.fields.filter(({ field }) => !ownFields.has(field))],
    relations: [
      ...relations,
      ...descriptor.relations.filter(({ manyField }) => !ownRelations.has(manyField)),
    ],
  };
}

/**
 * The descriptor of a collection with what is known of Sluice's own ones; the same object for the
 * same descriptor.
 */
export function withSystemFields(descriptor: CollectionDescriptor): CollectionDescriptor {
  if (!descriptor.name.startsWith(SYSTEM_PREFIX)) return descriptor;
  const known = described.get(descriptor) ?? describe(descriptor);
  described.set(descriptor, known);
  described.set(known, known);
  return known;
}
