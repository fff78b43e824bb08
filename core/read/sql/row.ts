/** Turns the columns of a sub-select into one JSON object, whatever the length of their names. */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';

/** PostgreSQL cuts identifiers at this number of bytes. */
const MAX_NAME_BYTES = 63;

/** Members of an object that one call may name: functions take at most 100 arguments. */
const MEMBERS_PER_CALL = 50;

/** A JSON object of any number of members, all of which are there. */
export function objectSql(members: readonly (readonly [string, Sql])[]): Sql {
  const pairs = members.map(([key, value]) => sql`${key}::text, ${value}`);
  const [first = sql`json_build_object()`, ...more] = Array.from(
    { length: Math.ceil(pairs.length / MEMBERS_PER_CALL) },
    (_, index) => {
      const from = index * MEMBERS_PER_CALL;
      return sql`json_build_object(${join(pairs.slice(from, from + MEMBERS_PER_CALL))})`;
    },
  );
  if (more.length === 0) return first;
  // Put together as texts, without the brackets in between; as jsonb it would lose its order.
  const rest = more.map((part) => sql`substr((${part})::text, 2)`);
  const parts = [first, ...rest].map((part, index) =>
    index < more.length ? sql`left((${part})::text, -1)` : part,
  );
  return sql`(${join(parts, " || ', ' || ")})::json`;
}

/**
 * One text of all members; `||` would keep every text in between until the row is done.
 * @param members two values each, the text before it and the value
 */
function concatenated(members: readonly Sql[]): Sql {
  if (members.length === 0) return sql`'{}'`;
  const parts = Array.from(
    { length: Math.ceil(members.length / MEMBERS_PER_CALL) },
    (_, index) =>
      sql`concat(${join(members.slice(index * MEMBERS_PER_CALL, (index + 1) * MEMBERS_PER_CALL))})`,
  );
  return sql`concat(${join(parts)}, '}')`;
}

/** The columns of a sub-select, and the expression that makes an object of a row of it. */
export interface RowShape {
  readonly columns: Sql;
  /** The object as json; the sub-select has the alias `r`. */
  readonly json: Sql;
  /** The values by their keys, as columns of `r`. */
  readonly values: ReadonlyMap<string, Sql>;
}

/**
 * Names the values of a row.
 * @param ownNames the keys are names of the catalog. Keys that a client chose, and those that
 *   are longer than identifiers may be, are parameters, set into the JSON text by hand
 */
export function rowShape(values: ReadonlyMap<string, Sql>, ownNames: boolean): RowShape {
  const entries = [...values];
  if (ownNames && entries.every(([key]) => Buffer.byteLength(key) <= MAX_NAME_BYTES)) {
    return {
      columns: join(entries.map(([key, value]) => sql`${value} AS ${identifier(key)}`)),
      json: raw('row_to_json(r.*)'),
      values: new Map(entries.map(([key]) => [key, identifier('r', key)])),
    };
  }
  const members = entries.map(
    ([key], index) =>
      sql`${`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`}::text, coalesce(to_json(r.${raw(`f${index}`)}), 'null')`,
  );
  return {
    columns: join(entries.map(([, value], index) => sql`${value} AS ${raw(`f${index}`)}`)),
    json: sql`${concatenated(members)}::json`,
    values: new Map(entries.map(([key], index) => [key, raw(`r.f${index}`)])),
  };
}
