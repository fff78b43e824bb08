/** The schemas of field values: as in responses, and as in request bodies. */
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import {
  ANYTHING,
  anyOf,
  FLAG,
  INTEGER,
  type JsonSchema,
  listOf,
  objectOf,
  oneOf,
  TEXT,
} from './json-schema.ts';

const NUMBER: JsonSchema = { type: 'number' };
const WHOLE_TEXT: JsonSchema = { ...TEXT, pattern: '^-?\\d+$' };
const DECIMAL_TEXT: JsonSchema = { ...TEXT, pattern: '^-?(\\d+(\\.\\d+)?|NaN|Infinity)$' };

/** GeoJSON (RFC 7946). */
const GEOMETRY: JsonSchema = {
  type: 'object',
  description: 'A geometry as GeoJSON',
  properties: { type: TEXT, coordinates: { type: 'array' } },
  required: ['type'],
};

/** Bytes, as Node serializes them to JSON. */
const BYTES = objectOf(
  { type: { const: 'Buffer' }, data: listOf({ ...INTEGER, minimum: 0, maximum: 255 }) },
  ['type', 'data'],
);

const DATE: JsonSchema = { ...TEXT, format: 'date' };
const TIME: JsonSchema = { ...TEXT, description: 'A time of day', examples: ['13:45:00'] };
const DATE_TIME: JsonSchema = {
  ...{ ...TEXT, description: 'A date and time without a zone' },
  examples: ['2024-02-29T13:45:00'],
};
const TIMESTAMP: JsonSchema = { ...TEXT, format: 'date-time' };
const UUID: JsonSchema = { ...TEXT, format: 'uuid' };

/** The range of integers by type name. */
const RANGES: Readonly<Record<string, JsonSchema>> = {
  int2: { ...INTEGER, minimum: -32_768, maximum: 32_767 },
  int4: { ...INTEGER, minimum: -2_147_483_648, maximum: 2_147_483_647 },
};

function textOf({ column: { enumValues, maxLength } }: ColumnField): JsonSchema {
  if (enumValues !== null && enumValues.length > 0) return oneOf(enumValues);
  return maxLength === null ? TEXT : { ...TEXT, maxLength };
}

/** A value in a response, when it is not null. */
export function readSchema(field: ColumnField): JsonSchema {
  if (isConcealed(field)) return { ...TEXT, description: 'Asterisks where there is a value' };
  const { type, column } = field;
  if (type.startsWith('geometry')) return GEOMETRY;
  switch (type) {
    case 'boolean':
      return FLAG;
    case 'integer':
      return INTEGER;
    case 'float':
      return NUMBER;
    case 'bigInteger':
      return WHOLE_TEXT;
    case 'decimal':
      return DECIMAL_TEXT;
    case 'date':
      return DATE;
    case 'time':
      return TIME;
    case 'dateTime':
      return DATE_TIME;
    case 'timestamp':
      return TIMESTAMP;
    case 'uuid':
      return UUID;
    case 'csv':
      return listOf(TEXT);
    case 'binary':
      return BYTES;
    case 'json':
      return column.elementType === null ? ANYTHING : listOf(ANYTHING);
    default:
      return column.enumValues === null ? TEXT : textOf(field);
  }
}

/** A value in a request body, when it is not null. */
export function writeSchema(field: ColumnField): JsonSchema {
  const { type, column } = field;
  switch (type) {
    case 'integer':
      return RANGES[column.typeName] ?? INTEGER;
    case 'bigInteger':
      return anyOf([WHOLE_TEXT, INTEGER]);
    case 'decimal':
      return anyOf([{ ...TEXT, pattern: '^-?\\d+(\\.\\d+)?$' }, NUMBER]);
    case 'binary':
      return { ...TEXT, pattern: '^\\\\x([0-9a-f]{2})*$' };
    case 'csv':
      return anyOf([listOf(TEXT), TEXT]);
    case 'hash':
      return TEXT;
    case 'string':
    case 'text':
      return textOf(field);
    default:
      return isConcealed(field) ? TEXT : readSchema(field);
  }
}
