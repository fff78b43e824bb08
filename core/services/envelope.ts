/** The text of an item or a list, and the envelope that an API puts around it. */

/**
 * The result of a read: the text of an item or a list, and the text of `meta` when it was
 * requested.
 */
export interface Data {
  readonly data: string;
  readonly meta: string | null;
}

/** How an API makes an answer from data. */
export interface Envelope {
  /** Distinguishes answers with this envelope from others in the response cache. */
  readonly name: string;
  around(data: Data): string;
}

/** No envelope. */
export const BARE: Envelope = Object.freeze({ name: '', around: ({ data }: Data) => data });

/** The data in the text of an item. */
export function itemData(text: string): Data {
  return { data: text, meta: null };
}

/** The data in the text of a list; a line with its `meta` can come before it. */
export function listData(text: string): Data {
  if (text.startsWith('[')) return { data: text, meta: null };
  const end = text.indexOf('\n');
  return { data: text.slice(end + 1), meta: text.slice(0, end) };
}
