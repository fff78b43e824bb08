/** Converts the columns of a subselect to one JSON object, with names of any length. */
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';

/** PostgreSQL truncates identifiers to this number of bytes. */
const MAX_NAME_BYTES = 63;

/** The maximum number of members per call: functions take at most 100 arguments. */
const MEMBERS_PER_CALL = 50;

/** A JSON object with any number of members. */
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
  // Concatenated as text without the inner brackets; jsonb would lose the order.
  const rest = more.map((part) => sql`substr((${part})::text, 2)`);
  const parts = [first, ...rest].map((part, index) =>
    index < more.length ? sql`left((${part})::text, -1)` : part,
  );
  return sql`(${join(parts, " || ', ' || ")})::json`;
}

/**
 * One text of all members; `||` would hold every intermediate text until the row is done.
 * @param members two values each: the text before the value, and the value
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

/** The columns of a subselect, and the expression that converts its row to an object. */
export interface RowShape {
  readonly columns: Sql;
  /** The object as json; the subselect has the alias `r`. */
  readonly json: Sql;
  /** The values by their keys, as columns of `r`. */
  readonly values: ReadonlyMap<string, Sql>;
}

/**
 * Names the values of a row.
 * @param ownNames the keys are names of the catalog. Keys that a client chose, and keys longer than
 * an identifier, are parameters, concatenated into the JSON text
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
