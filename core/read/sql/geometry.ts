/** Writes PostGIS geometries: output as GeoJSON, and comparisons with GeoJSON. */

import { empty, identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { Operator } from '#core/query/operator.ts';

/** A function of the extension, in the schema where it is installed. */
function call({ column }: ColumnField, name: string): Sql {
  return identifier(column.typeSchema, name);
}

function operator({ column }: ColumnField, sign: string): Sql {
  return sql`OPERATOR(${identifier(column.typeSchema)}.${raw(sign)})`;
}

/** @param digits decimal places of a coordinate; PostGIS uses 9 by default */
export function geometryOutput(field: ColumnField, value: Sql, digits?: number): Sql {
  const precision = digits === undefined ? empty : raw(`, ${digits}`);
  return sql`${call(field, 'st_asgeojson')}(${value}${precision})::json`;
}

/** The reference system that the column enforces; null when it accepts any. */
function systemOf({ column }: ColumnField): number | null {
  const system = Number(/,\s*(\d+)\s*\)$/.exec(column.typeText)?.[1] ?? 0);
  return system > 0 ? system : null;
}

const WGS84 = 4326;

/** GeoJSON uses WGS 84; it is compared in the reference system of the column. */
function operandSql(field: ColumnField, column: Sql, value: object): Sql {
  const given = sql`${call(field, 'st_geomfromgeojson')}(${JSON.stringify(value)}::text)`;
  const system = systemOf(field);
  if (system === WGS84 || 'crs' in value) return given;
  if (system === null) {
    return sql`${call(field, 'st_setsrid')}(${given}, ${call(field, 'st_srid')}(${column}))`;
  }
  return sql`${call(field, 'st_transform')}(${given}, ${raw(String(system))})`;
}

/** Compares a geometry with one in GeoJSON. */
export function geometryPredicate(
  field: ColumnField,
  column: Sql,
  named: Operator,
  shape: object,
): Sql {
  const operand = operandSql(field, column, shape);
  switch (named) {
    case '_eq':
      return sql`${column} ${operator(field, '=')} ${operand}`;
    case '_neq':
      return sql`NOT (${column} ${operator(field, '=')} ${operand})`;
    case '_intersects_bbox':
      return sql`${column} ${operator(field, '&&')} ${operand}`;
    case '_nintersects_bbox':
      return sql`NOT (${column} ${operator(field, '&&')} ${operand})`;
    case '_intersects':
      return sql`${call(field, 'st_intersects')}(${column}, ${operand})`;
    default:
      return sql`NOT ${call(field, 'st_intersects')}(${column}, ${operand})`;
  }
}
