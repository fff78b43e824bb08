/**
 * Places inside documents: the steps of a path, and how the value found there compares. Two
 * numbers compare by value, anything else as text: a string as it is, the rest in jsonb's form.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { requireShort } from '../parse/list.ts';

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/**
 * `path.to[0].x` as the steps that `#>` takes.
 * @param place where the path was written, for errors
 * @throws ServiceError INVALID_QUERY for what is no path, or one that is too deep
 */
export function stepsOf(path: string, place: string, maxDepth: number): string[] {
  requireShort(path, place);
  const steps = path
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\.(?=\d)/, '')
    .split('.');
  if (steps.some((step) => step === '' || step.includes('\0'))) {
    throw invalidQuery(`"${place}": "${path}" is no path into a document.`);
  }
  if (steps.length > maxDepth) {
    throw invalidQuery(`"${place}" goes deeper than ${maxDepth} steps (MAX_JSON_QUERY_DEPTH).`);
  }
  return steps;
}

/** A member's value as text; null where there is none, or a JSON null. */
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

/** `member operator text`, for the operators of order and equality. */
export function compareMember(member: Sql, operator: Sql, text: string): Sql {
  // Texts have the same order in every database.
  const asText = sql`${memberText(member)} COLLATE "C" ${operator} ${text}::text`;
  if (!isNumber(text)) return asText;
  const asNumber = sql`(${member})::numeric ${operator} ${text}::numeric`;
  return byValue(member, { number: asNumber, text: asText });
}

/** `member test list`, where the test is `= ANY` or `<> ALL`. */
export function memberAmong(member: Sql, test: Sql, texts: readonly string[]): Sql {
  const asText = sql`${memberText(member)} ${test}(${texts}::text[])`;
  const numbers = texts.filter(isNumber);
  if (numbers.length === 0) return asText;
  const asNumber = sql`(${member})::numeric ${test}(${numbers}::numeric[])`;
  return byValue(member, { number: asNumber, text: asText });
}
