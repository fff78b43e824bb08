/** Turns the columns of a sub-select into one JSON object, whatever the length of their names. */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';

/** PostgreSQL cuts identifiers at this number of bytes. */
const MAX_NAME_BYTES = 63;

/** The columns of a sub-select, and the expression that makes an object of a row of it. */
export interface RowShape {
  readonly columns: Sql;
  /** The object as json; the sub-select has the alias `r`. */
  readonly json: Sql;
}

/**
 * Names the values of a row. Keys that are longer than identifiers may be are set into the JSON
 * text by hand.
 */
export function rowShape(values: ReadonlyMap<string, Sql>): RowShape {
  const entries = [...values];
  if (entries.every(([key]) => Buffer.byteLength(key) <= MAX_NAME_BYTES)) {
    return {
      columns: join(entries.map(([key, value]) => sql`${value} AS ${identifier(key)}`)),
      json: raw('row_to_json(r)'),
    };
  }
  const members = entries.map(
    ([key], index) =>
      sql`${`${index === 0 ? '' : ','}${JSON.stringify(key)}:`}::text || coalesce(to_json(r.${raw(`f${index}`)})::text, 'null')`,
  );
  return {
    columns: join(entries.map(([, value], index) => sql`${value} AS ${raw(`f${index}`)}`)),
    json: sql`('{' || ${join(members, ' || ')} || '}')::json`,
  };
}
