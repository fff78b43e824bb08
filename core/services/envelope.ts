/** Texts of what was read or written, and what whoever answers puts around them. */

/** What was read: the text of an item or of a list, and that of `meta` where it was asked. */
export interface Data {
  readonly data: string;
  readonly meta: string | null;
}

/** How an answer is made of data. */
export interface Envelope {
  /** Tells the answers of one envelope from those of others. */
  readonly name: string;
  around(data: Data): string;
}

/** Nothing is put around. */
export const BARE: Envelope = Object.freeze({ name: '', around: ({ data }: Data) => data });

/** The data in the text of an item. */
export function itemData(text: string): Data {
  return { data: text, meta: null };
}

/** The data in the text of a list, before which its `meta` may stand in a line of its own. */
export function listData(text: string): Data {
  if (text.startsWith('[')) return { data: text, meta: null };
  const end = text.indexOf('\n');
  return { data: text.slice(end + 1), meta: text.slice(0, end) };
}
