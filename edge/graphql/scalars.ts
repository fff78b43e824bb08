/** The scalar types besides those of the specification, and the parsing of their values. */
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { literalToCondition, literalToJson } from './json-literal.ts';

function refuse(name: string, value: unknown): never {
  throw new GraphQLError(`${name} cannot represent ${JSON.stringify(value) ?? String(value)}.`);
}

const INTEGER = /^-?\d+$/;

/** Integers beyond 2^53 are transmitted as texts. */
export const BIG_INT = new GraphQLScalarType<string | number>({
  name: 'GraphQLBigInt',
  description: 'A whole number of up to 64 bits, as a text',
  coerceInputValue(value) {
    if (typeof value === 'string' && INTEGER.test(value)) return value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    if (typeof value === 'bigint') return String(value);
    return refuse('GraphQLBigInt', value);
  },
  coerceInputLiteral(node) {
    const isNumber = node.kind === 'IntValue' || node.kind === 'StringValue';
    if (isNumber && INTEGER.test(node.value)) return node.value;
    return refuse('GraphQLBigInt', node.kind);
  },
});

/** Numbers in conditions, where a dynamic value such as `$NOW` is a text. */
export const STRING_OR_FLOAT = new GraphQLScalarType<string | number>({
  name: 'GraphQLStringOrFloat',
  description: 'A number, or a text that stands for one',
  coerceInputValue(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    return refuse('GraphQLStringOrFloat', value);
  },
  coerceInputLiteral(node) {
    if (node.kind === 'IntValue' || node.kind === 'FloatValue' || node.kind === 'StringValue') {
      return node.value;
    }
    return refuse('GraphQLStringOrFloat', node.kind);
  },
});

/** A scalar whose values are texts. */
function textScalar(name: string, description: string): GraphQLScalarType<string> {
  return new GraphQLScalarType<string>({
    name,
    description,
    coerceInputValue: (value) => (typeof value === 'string' ? value : refuse(name, value)),
    coerceInputLiteral: (node) =>
      node.kind === 'StringValue' ? node.value : refuse(name, node.kind),
  });
}

export const DATE = textScalar('Date', 'A date, a time, or both, in ISO 8601');
export const HASH = textScalar('Hash', 'A text that is stored as its hash, or concealed');
export const JSON_VALUE = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value',
  coerceInputValue: (value) => value,
  coerceInputLiteral: literalToJson,
});
export const JSON_FILTER = new GraphQLScalarType({
  name: 'GraphQLJsonFilter',
  description: 'A condition on members of a document, by their paths',
  coerceInputValue: (value) => value,
  coerceInputLiteral: literalToCondition,
});
export const GEO_JSON = new GraphQLScalarType({
  name: 'GraphQLGeoJSON',
  description: 'A geometry as GeoJSON (RFC 7946)',
});
export const VOID = new GraphQLScalarType({ name: 'Void', description: 'Nothing' });
