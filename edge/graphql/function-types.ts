/** The types of date parts and of counts of related items, and the conditions on them. */
import { GraphQLInputObjectType, GraphQLInt, GraphQLObjectType } from 'graphql';
import { DATE_FUNCTIONS, type FunctionName, TIME_FUNCTIONS } from '#core/query/function-call.ts';
import { NUMBER_OPERATORS } from './operator-types.ts';

/** The functions of each kind of value. */
export const FUNCTIONS = {
  date: DATE_FUNCTIONS,
  time: TIME_FUNCTIONS,
  datetime: [...DATE_FUNCTIONS, ...TIME_FUNCTIONS],
  count: ['count'],
} as const satisfies Record<string, readonly FunctionName[]>;

export type FunctionKind = keyof typeof FUNCTIONS;

interface FunctionTypes {
  readonly output: GraphQLObjectType;
  readonly filter: GraphQLInputObjectType;
}

function typesOf(kind: FunctionKind): FunctionTypes {
  const members = <T>(type: T) =>
    Object.fromEntries(FUNCTIONS[kind].map((name) => [name, { type }] as const));
  return {
    output: new GraphQLObjectType({ name: `${kind}_functions`, fields: members(GraphQLInt) }),
    filter: new GraphQLInputObjectType({
      name: `${kind}_function_filter_operators`,
      fields: members(NUMBER_OPERATORS),
    }),
  };
}

export const FUNCTION_TYPES: Readonly<Record<FunctionKind, FunctionTypes>> = {
  date: typesOf('date'),
  time: typesOf('time'),
  datetime: typesOf('datetime'),
  count: typesOf('count'),
};
