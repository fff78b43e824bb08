/** Writes a column's value into the JSON of an answer. */

import { type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/model/catalog/catalog.ts';
import { isGeometry } from '../plan/geometry.ts';
import { geometryOutput } from './geometry.ts';

/**
 * A timestamp as text. The formats of `to_char` lack the era, so ` BC` is appended to years before
 * Christ, like in PostgreSQL's output. `infinity` stays a word.
 */
function timestampText(column: Sql, format: Sql): Sql {
  const text = sql`to_char(${column}, ${format})`;
  return sql`CASE WHEN ${column} >= '0001-01-01' AND ${column} < 'infinity' THEN ${text} WHEN isfinite(${column}) THEN ${text} || ' BC' ELSE ${column}::text END`;
}

/** 2024-05-01T12:00:00.000Z */
const TIMESTAMP = sql`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const DATE_TIME = sql`'YYYY-MM-DD"T"HH24:MI:SS'`;

/** Bytes in the form that Node's Buffer has in JSON. */
function bytes(column: Sql): Sql {
  return sql`CASE WHEN ${column} IS NOT NULL THEN json_build_object('type', 'Buffer', 'data', coalesce((SELECT json_agg(get_byte(${column}, i) ORDER BY i) FROM generate_series(0, length(${column}) - 1) AS i), '[]')) END`;
}

function commaList(column: Sql): Sql {
  return sql`CASE ${column} WHEN '' THEN '[]'::json ELSE to_json(string_to_array(${column}, ',')) END`;
}

/** Elements that are output as texts, because JavaScript cannot represent them exactly. */
const EXACT_NUMBERS: ReadonlySet<string> = new Set(['int8', 'numeric']);

/**
 * An array of documents. Elements that are texts, lists or JSON nulls become JSON texts: a nested
 * list would look like a dimension, and null like a missing document. In several dimensions all
 * documents are texts.
 */
function documents(column: Sql, type: 'json' | 'jsonb'): Sql {
  const kind = type === 'json' ? sql`json_typeof(e)` : sql`jsonb_typeof(e)`;
  const element = sql`CASE WHEN ${kind} IN ('object', 'number', 'boolean') THEN to_json(e) ELSE to_json(e::text) END`;
  const list = sql`(SELECT coalesce(json_agg(${element} ORDER BY i), '[]') FROM unnest(${column}) WITH ORDINALITY AS u (e, i))`;
  const texts = sql`to_json(${column}::text[])`;
  return sql`CASE WHEN array_ndims(${column}) > 1 THEN ${texts} WHEN ${column} IS NOT NULL THEN ${list} END`;
}

/** An array as a JSON list, with elements in their output format. */
function arrayOutput(elementType: string, column: Sql): Sql {
  if (elementType === 'json' || elementType === 'jsonb') return documents(column, elementType);
  return EXACT_NUMBERS.has(elementType) ? sql`to_json(${column}::text[])` : column;
}

/**
 * The expression whose JSON form is the field's value in answers. Numbers that JavaScript cannot
 * represent exactly (bigint, numeric) are texts; times are UTC, because sessions run in UTC.
 */
export function outputOf(field: ColumnField, column: Sql): Sql {
  if (isConcealed(field)) {
    return sql`CASE WHEN ${column} IS NOT NULL THEN ${CONCEALED}::text END`;
  }
  switch (field.type) {
    case 'bigInteger':
    case 'decimal':
    case 'unknown':
      return sql`${column}::text`;
    case 'timestamp':
      return timestampText(column, TIMESTAMP);
    case 'dateTime':
      return timestampText(column, DATE_TIME);
    case 'time':
      return sql`to_char(${column}, 'HH24:MI:SS')`;
    case 'binary':
      return bytes(column);
    case 'csv':
      return commaList(column);
    default: {
      if (isGeometry(field)) return geometryOutput(field, column);
      const { elementType } = field.column;
      return elementType === null ? column : arrayOutput(elementType, column);
    }
  }
}

/** The maximum number of decimal places of a double coordinate. */
const COORDINATE_DIGITS = 15;

/**
 * The same for a file that an import reads back: with full precision. Dates and times are left to
 * `row_to_json`, which writes them as ISO 8601 with all their digits.
 */
export function exactOutput(field: ColumnField, column: Sql): Sql {
  if (isConcealed(field)) return outputOf(field, column);
  const { elementType } = field.column;
  if (elementType !== null) {
    // Lists in a list are dimensions, so that documents must be texts there.
    const isJson = elementType === 'json' || elementType === 'jsonb';
    return isJson ? sql`to_json(${column}::text[])` : arrayOutput(elementType, column);
  }
  switch (field.type) {
    case 'timestamp':
    case 'dateTime':
    case 'time':
      return column;
    case 'binary':
      return sql`${column}::text`;
    default:
      return isGeometry(field)
        ? geometryOutput(field, column, COORDINATE_DIGITS)
        : outputOf(field, column);
  }
}
