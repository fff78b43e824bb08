/**
 * Finds parts of a document that PostgreSQL cannot read, although a column of type `json` would
 * store them: U+0000, half a surrogate pair, and numbers beyond `numeric`. Columns of type `jsonb`
 * reject the same.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { MOST_FRACTION_DIGITS, MOST_WHOLE_DIGITS } from './number.ts';

/** U+0000, and halves of surrogate pairs; two adjacent halves may form a pair. */
const DELICATE_ESCAPE = /\\u(?:0000|d[89a-f])/i;
const ESCAPED_BACKSLASHES = /\\\\/g;
const PAIR = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;
const HALF = /\\u[dD][89a-fA-F]/;

/** Every text with a number beyond `numeric` matches one of these. */
const DELICATE_NUMBER = /\d[eE][+-]?\d{5}|\d{255}/;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const NUMBER = /(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?/g;

const NUL = reason('value_holds_escaped_nul');
const BROKEN = reason('value_has_unpaired_surrogate');
const BEYOND = reason('value_has_number_out_of_range');

function escapeFault(text: string): Reason | null {
  if (!text.includes('\\u') || !DELICATE_ESCAPE.test(text)) return null;
  // Escaped backslashes are removed first, so that each remaining one begins an escape.
  const bare = text.replace(ESCAPED_BACKSLASHES, '');
  if (bare.includes('\\u0000')) return NUL;
  return HALF.test(bare.replace(PAIR, '')) ? BROKEN : null;
}

/** Whether a number fits into `numeric`: 131,072 digits before the point, and 16,383 behind. */
function isBeyond({
  whole = '',
  fraction = '',
  exponent = '0',
}: Record<string, string | undefined>) {
  const power = Number(exponent);
  if (fraction.length - power > MOST_FRACTION_DIGITS) return true;
  const digits = (whole + fraction).replace(/^0+/, '');
  return digits !== '' && digits.length - fraction.length + power > MOST_WHOLE_DIGITS;
}

function numberFault(text: string): Reason | null {
  if (!DELICATE_NUMBER.test(text)) return null;
  const numbers = text.replace(STRING, '').matchAll(NUMBER);
  return numbers.some(({ groups }) => groups !== undefined && isBeyond(groups)) ? BEYOND : null;
}

/** The unreadable part of a text that is valid JSON; null where PostgreSQL can read all. */
export function jsonFault(text: string): Reason | null {
  return escapeFault(text) ?? numberFault(text);
}
