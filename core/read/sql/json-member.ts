/**
 * Writes comparisons with parts of documents. Two numbers compare by value, other values as text: a
 * string as it is, other types in jsonb's form.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { Placeholder } from '../plan/placeholder.ts';

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** A member's value as text; null for a missing member or a JSON null. */
export function memberText(member: Sql): Sql {
  return sql`(${member} #>> '{}')`;
}

function isNumber(text: string): boolean {
  return text.length <= 100 && NUMBER.test(text);
}

/** By value where the member is a number, else as text. */
function byValue(member: Sql, test: { readonly number: Sql; readonly text: Sql }): Sql {
  return sql`CASE jsonb_typeof(${member}) WHEN 'number' THEN ${test.number} ELSE ${test.text} END`;
}

/** `member operator text`, for ordering and equality operators; variables are never numbers. */
export function compareMember(member: Sql, operator: Sql, text: string | Placeholder<string>): Sql {
  // Texts have the same order in every database.
  const asText = sql`${memberText(member)} COLLATE "C" ${operator} ${text}::text`;
  if (text instanceof Placeholder || !isNumber(text)) return asText;
  const asNumber = sql`(${member})::numeric ${operator} ${text}::numeric`;
  return byValue(member, { number: asNumber, text: asText });
}

/** `member test list`, where the test is `= ANY` or `<> ALL`. */
export function memberInList(
  member: Sql,
  test: Sql,
  texts: readonly string[] | Placeholder<readonly string[]>,
): Sql {
  const asText = sql`${memberText(member)} ${test}(${texts}::text[])`;
  const numbers = texts instanceof Placeholder ? [] : texts.filter(isNumber);
  if (numbers.length === 0) return asText;
  const asNumber = sql`(${member})::numeric ${test}(${numbers}::numeric[])`;
  return byValue(member, { number: asNumber, text: asText });
}
