/**
 * The operators of conditions as input types: each scalar supports all operators of the field types
 * that it represents.
 */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLString,
} from 'graphql';
import { type Operator, operandShape, operatorsOf } from '#core/query/operator.ts';
import { fieldTypesOf, type ScalarName } from './scalar-name.ts';
import {
  BIG_INT,
  DATE,
  GEO_JSON,
  HASH,
  JSON_FILTER,
  JSON_VALUE,
  STRING_OR_FLOAT,
} from './scalars.ts';

export type Members = Record<string, GraphQLInputFieldConfig>;

/** The scalar types by their names here. */
export const SCALARS = {
  Boolean: GraphQLBoolean,
  Int: GraphQLInt,
  Float: GraphQLFloat,
  String: GraphQLString,
  ID: GraphQLID,
  GraphQLBigInt: BIG_INT,
  GraphQLGeoJSON: GEO_JSON,
  JSON: JSON_VALUE,
  Date: DATE,
  Hash: HASH,
  List: new GraphQLList(GraphQLString),
} satisfies Record<ScalarName, GraphQLInputType>;

/** The operators that a field of any of the types supports. */
function operatorsBehind(scalar: ScalarName): ReadonlySet<Operator> {
  const types = fieldTypesOf(scalar);
  return new Set(types.flatMap((type) => operatorsOf(type, scalar === 'Hash')));
}

/** The operand type of an operator. */
function operandType(operator: Operator, value: GraphQLInputType): GraphQLInputType {
  switch (operandShape(operator)) {
    case 'flag':
      return GraphQLBoolean;
    case 'list':
    case 'pair':
      return new GraphQLList(value);
    default:
      return value;
  }
}

/** @param value the type of one compared value */
function operatorType(
  name: string,
  scalar: ScalarName,
  value: GraphQLInputType,
  others: Members = {},
): GraphQLInputObjectType {
  const operators = [...operatorsBehind(scalar)].map(
    (operator) => [operator, { type: operandType(operator, value) }] as const,
  );
  return new GraphQLInputObjectType({
    name,
    fields: { ...Object.fromEntries(operators), ...others },
  });
}

export const NUMBER_OPERATORS = operatorType('number_filter_operators', 'Int', STRING_OR_FLOAT);

export const OPERATORS: Readonly<Record<ScalarName, GraphQLInputObjectType>> = (() => {
  const text = operatorType('string_filter_operators', 'String', GraphQLString);
  const json = { _json: { type: JSON_FILTER } };
  return {
    String: text,
    List: text,
    ID: operatorType('id_filter_operators', 'ID', GraphQLID),
    Boolean: operatorType('boolean_filter_operators', 'Boolean', GraphQLBoolean),
    Date: operatorType('date_filter_operators', 'Date', GraphQLString),
    Int: NUMBER_OPERATORS,
    Float: NUMBER_OPERATORS,
    GraphQLBigInt: operatorType('big_int_filter_operators', 'GraphQLBigInt', BIG_INT),
    GraphQLGeoJSON: operatorType('geometry_filter_operators', 'GraphQLGeoJSON', GEO_JSON),
    Hash: operatorType('hash_filter_operators', 'Hash', GraphQLString),
    JSON: operatorType('json_filter_operators', 'JSON', JSON_VALUE, json),
  };
})();
