/** Writes a value of a row for COPY, unless PostgreSQL would store a different value. */
import type { TextCheck } from '#core/model/values/check-value.ts';
import { MisplacedValue } from './cell-text.ts';
import type { CopyText } from './copy-text.ts';

/**
 * Writes a value; false, and writes nothing, when the row does not have it.
 * @throws {MisplacedValue} when the check rejects it, and for half a surrogate pair, which UTF-8
 * cannot express and would replace
 */
export function writeValue(
  value: string | null | undefined,
  check: TextCheck | null,
  out: CopyText,
): boolean {
  if (value === undefined) return false;
  if (value === null) {
    out.null();
    return true;
  }
  if (!value.isWellFormed() || (check !== null && check(value) !== null)) {
    throw new MisplacedValue(value);
  }
  out.text(value);
  return true;
}
