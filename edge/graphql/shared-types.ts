/** The types that every schema may contain, independent of its collections, and their names. */
import {
  GraphQLEnumType,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  isNamedType,
} from 'graphql';
import { LIVE_ACTIONS } from '#core/live/subscriber.ts';
import { FUNCTION_TYPES } from './function-types.ts';
import { OPERATORS, SCALARS } from './operator-types.ts';
import { VOID } from './scalars.ts';
import * as system from './system-types.ts';

export const ID = { type: new GraphQLNonNull(GraphQLID) };
export const IDS = { type: new GraphQLNonNull(new GraphQLList(GraphQLID)) };

export const DELETED_ONE = new GraphQLObjectType({ name: 'delete_one', fields: { id: ID } });
export const DELETED_MANY = new GraphQLObjectType({ name: 'delete_many', fields: { ids: IDS } });

export const EVENT = new GraphQLEnumType({
  name: 'EventEnum',
  values: Object.fromEntries(LIVE_ACTIONS.map((action) => [action, {}])),
});

const all = [
  ...Object.values(SCALARS).filter((type) => isNamedType(type)),
  ...Object.values(OPERATORS),
  ...Object.values(FUNCTION_TYPES).flatMap(({ output, filter }) => [output, filter]),
  ...[VOID, DELETED_ONE, DELETED_MANY, EVENT],
  ...Object.values(system),
];

/** The names of these types, and of all types that they contain. */
export const FIXED_NAMES: ReadonlySet<string> = new Set(
  Object.keys(new GraphQLSchema({ types: all, assumeValid: true }).getTypeMap()),
);
