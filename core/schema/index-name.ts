/** Names of indexes and constraints for fields. */
import { createHash } from 'node:crypto';
import { NAME_BYTES_MAX } from './validate-name.ts';

export type IndexKind = 'unique' | 'index' | 'foreign';

const DIGEST = 8;

/**
 * The longest beginning of a text that fits into a number of bytes of UTF-8, in whole characters.
 */
function cut(text: string, bytes: number): string {
  let room = bytes;
  let kept = '';
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
}

/**
 * `<collection>_<field>_<kind>`. A name that PostgreSQL would truncate is truncated here, with a
 * digest of the whole name, so that no two fields share one.
 */
export function indexName(collection: string, field: string, kind: IndexKind): string {
  const name = `${collection}_${field}_${kind}`;
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const digest = createHash('sha256')
    .update(JSON.stringify([collection, field]))
    .digest('hex')
    .slice(0, DIGEST);
  const end = `_${digest}_${kind}`;
  return cut(`${collection}_${field}`, NAME_BYTES_MAX - end.length) + end;
}
