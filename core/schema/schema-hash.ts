/** A hash of a list of JSON values; equal schemas have equal hashes. */
import { createHash } from 'node:crypto';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { compareText } from '#core/model/catalog/canonical-text.ts';

/** JSON with the members of every object sorted by name. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareText(a, b)))
      : member,
  );
}

/**
 * The SHA-256 of a list, in hexadecimal digits. The order of the list matters, that of members does
 * not.
 */
export async function hashList(list: Iterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  const slice = new TimeSlice();
  for (const entry of list) {
    hash.update(`${stableText(entry)}\n`);
    await slice.rest();
  }
  return hash.digest('hex');
}
