/** The items of a list that something is done with: some of them, or all that match. */
import { keyFields, keyFromText } from '../data/item-key.ts';
import type { Field, Filter } from '../data/schema-types.ts';
import { formatNumber } from '../display/format.ts';

/** All items that match, on every page. */
export interface Matching {
  readonly filter: Filter | null;
  readonly search: string;
}

/** The selection as the calls for several items take it. */
export function selectionOf(keys: readonly string[], matching: Matching | null) {
  return matching === null
    ? keys.map((key) => keyFromText(key))
    : { query: { ...conditionsOf(matching), limit: -1 } };
}

/** The conditions as queries have them; what is missing is no condition. */
export function conditionsOf({ filter, search }: Matching) {
  return { ...(filter !== null && { filter }), ...(search !== '' && { search }) };
}

/** A number of items for texts; an ellipsis while they are counted. */
export function countWords(count: number | null, locale: string) {
  return {
    smart_count: count ?? 2,
    count: count === null ? '…' : formatNumber(count, locale),
  };
}

/** The condition that holds for these items alone. */
export function filterOf(fields: readonly Field[], keys: readonly string[]): Filter {
  const names = keyFields(fields);
  const [only = ''] = names;
  if (names.length === 1) return { [only]: { _in: keys.map((key) => keyFromText(key)) } };
  const conditions = keys.map((text) => {
    const values = [keyFromText(text)].flat();
    return { _and: names.map((name, index) => ({ [name]: { _eq: values[index] } })) };
  });
  return { _or: conditions };
}
