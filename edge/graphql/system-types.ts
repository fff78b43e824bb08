/** The schema and account types of the system endpoint, for output and input. */
import {
  type ConstValueNode,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  Kind,
} from 'graphql';
import { COLLECTION_META, FIELD_META } from '#core/schema/schema-object.ts';
import { BIG_INT, JSON_VALUE } from './scalars.ts';

function objectType(name: string, fields: Readonly<Record<string, GraphQLOutputType>>) {
  return new GraphQLObjectType({
    name,
    fields: Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, { type }])),
  });
}

export const TEXT = GraphQLString;
const FLAGS = [
  ...['hidden', 'singleton', 'required', 'readonly', 'searchable', 'archive_app_filter', 'system'],
  ...['versioning'],
];
const NUMBERS = ['id', 'sort'];
const DOCUMENTS = [
  ...['options', 'display_options', 'translations', 'conditions', 'validation'],
  ...['item_duplication_fields', 'one_allowed_collections'],
];

/** The type of a metadata object, by the names of its members. */
function metaType(name: string, members: Iterable<string>): GraphQLObjectType {
  const typeOf = (member: string): GraphQLOutputType => {
    if (DOCUMENTS.includes(member)) return JSON_VALUE;
    if (FLAGS.includes(member)) return GraphQLBoolean;
    return NUMBERS.includes(member) ? GraphQLInt : TEXT;
  };
  return objectType(
    name,
    Object.fromEntries([...members].map((member) => [member, typeOf(member)])),
  );
}

const COLUMN = objectType('system_fields_schema', {
  ...{ name: TEXT, table: TEXT, schema: TEXT, data_type: TEXT, default_value: TEXT },
  ...{ generation_expression: TEXT, max_length: GraphQLInt, numeric_precision: GraphQLInt },
  ...{ numeric_scale: GraphQLInt, is_generated: GraphQLBoolean, is_nullable: GraphQLBoolean },
  ...{ is_unique: GraphQLBoolean, is_indexed: GraphQLBoolean, is_primary_key: GraphQLBoolean },
  ...{ has_auto_increment: GraphQLBoolean, foreign_key_schema: TEXT, foreign_key_table: TEXT },
  ...{ foreign_key_column: TEXT, comment: TEXT, enum_values: new GraphQLList(TEXT) },
});
export const FIELDS = objectType('system_fields', {
  ...{ collection: TEXT, field: TEXT, type: TEXT, schema: COLUMN },
  meta: metaType('system_fields_meta', ['id', 'collection', 'field', ...Object.keys(FIELD_META)]),
});
export const COLLECTIONS = objectType('system_collections', {
  collection: TEXT,
  schema: objectType('system_collections_schema', { schema: TEXT, name: TEXT, comment: TEXT }),
  meta: metaType('system_collections_meta', [
    ...['collection', 'system'],
    ...Object.keys(COLLECTION_META),
  ]),
});
export const RELATIONS = objectType('system_relations', {
  ...{ collection: TEXT, field: TEXT, related_collection: TEXT },
  schema: objectType('system_relations_schema', {
    ...{ constraint_name: TEXT, table: TEXT, column: TEXT, foreign_key_schema: TEXT },
    ...{ foreign_key_table: TEXT, foreign_key_column: TEXT, on_update: TEXT, on_delete: TEXT },
  }),
  meta: metaType('system_relations_meta', [
    ...['id', 'many_collection', 'many_field', 'one_collection', 'one_field', 'junction_field'],
    ...['one_collection_field', 'one_allowed_collections', 'sort_field', 'one_deselect_action'],
  ]),
});

/** A metadata payload, whose JSON documents are as in REST. */
function payloadType(name: string, members: Readonly<Record<string, GraphQLInputType>>) {
  const fields = Object.entries(members).map(([key, type]) => [key, { type }] as const);
  return new GraphQLInputObjectType({ name, fields: Object.fromEntries(fields) });
}

const FIELD_PAYLOAD = { field: TEXT, type: TEXT, schema: JSON_VALUE, meta: JSON_VALUE };
export const CREATE_FIELD = payloadType('create_system_fields_input', {
  ...FIELD_PAYLOAD,
  collection: TEXT,
});
export const UPDATE_FIELD = payloadType('update_system_fields_input', FIELD_PAYLOAD);
export const CREATE_COLLECTION = payloadType('create_system_collections_input', {
  ...{ collection: TEXT, schema: JSON_VALUE, meta: JSON_VALUE },
  fields: new GraphQLList(new GraphQLNonNull(CREATE_FIELD)),
});
export const UPDATE_COLLECTION = payloadType('update_system_collections_input', {
  ...{ collection: TEXT, schema: JSON_VALUE, meta: JSON_VALUE },
});
const RELATION_PAYLOAD = {
  ...{ collection: TEXT, field: TEXT, related_collection: TEXT },
  ...{ schema: JSON_VALUE, meta: JSON_VALUE },
};
export const CREATE_RELATION = payloadType('create_system_relations_input', RELATION_PAYLOAD);
export const UPDATE_RELATION = payloadType('update_system_relations_input', RELATION_PAYLOAD);

/** An enumeration whose values may also be strings. */
class SpelledEnum extends GraphQLEnumType {
  override coerceInputLiteral(node: ConstValueNode, hideSuggestions?: boolean | null) {
    const { kind } = node;
    const named = kind === Kind.STRING ? ({ kind: Kind.ENUM, value: node.value } as const) : node;
    return super.coerceInputLiteral(named, hideSuggestions);
  }
}

/** The storage of a login's tokens. */
export const AUTH_MODE = new SpelledEnum({
  name: 'auth_mode',
  values: { json: {}, cookie: {}, session: {} },
});

export const TOKENS = objectType('auth_tokens', {
  ...{ access_token: TEXT, expires: BIG_INT, refresh_token: TEXT },
});
export const SESSIONS = objectType('users_me_sessions', {
  ...{ id: GraphQLID, created_on: TEXT, renewed_on: TEXT, expires: TEXT, ip: TEXT },
  ...{ user_agent: TEXT, origin: TEXT, current: GraphQLBoolean },
});
/** The endpoint of a schema. */
export const SPECS_SCOPE = new GraphQLEnumType({
  name: 'graphql_scope',
  values: { items: {}, system: {} },
});
export const GLOBALS = objectType('policy_me_globals', {
  ...{ enforce_tfa: GraphQLBoolean, app_access: GraphQLBoolean, admin_access: GraphQLBoolean },
});
export const DELETED_FIELD = objectType('delete_field', { collection: TEXT, field: TEXT });
export const DELETED_COLLECTION = objectType('delete_collection', { collection: TEXT });
export const DELETED_RELATION = objectType('delete_relation', { collection: TEXT, field: TEXT });
export const TFA = objectType('users_me_tfa_generate_data', { secret: TEXT, otpauth_url: TEXT });
