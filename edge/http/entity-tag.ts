/** Entity tags of responses and conditional requests (RFC 9110, 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto';

/**
 * Maximum length of a body that gets a tag, in characters or bytes. Hashing costs about 0.7 µs per
 * KB, on the event loop that serves all requests.
 */
export const TAG_MAX_LENGTH = 1_048_576;

/** Weak tag of a body: equal bodies have equal tags, in every process and release. */
export function entityTag(body: string | Uint8Array): string {
  return `W/"${hash('sha1', body, 'base64url')}"`;
}

/**
 * Whether a list of tags as in If-None-Match and If-Match contains this one, compared weakly; `*`
 * matches all.
 */
export function namesTag(list: string, tag: string): boolean {
  if (list.trim() === '*') return true;
  const opaque = tag.startsWith('W/') ? tag.slice(2) : tag;
  for (const match of list.matchAll(/"[^"]*"/g)) if (match[0] === opaque) return true;
  return false;
}
