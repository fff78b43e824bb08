/** The ways in which clients spell one and the same query. */
import type { Json, Parameters } from '../model.ts';

export const SPELLINGS = ['value', 'json', 'list', 'bracket'] as const;
export type Spelling = (typeof SPELLINGS)[number];

/** Bracket form carries nothing but texts. */
function stringly(value: Json): Json {
  if (Array.isArray(value)) return value.map(stringly);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, stringly(entry)]));
  }
  return String(value);
}

/** Bracket form cannot say that something is empty, and `_in=null` is a list of one null there. */
function isUnsayable(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('_in' in value && value._in === null) return true;
  const entries = Object.values(value);
  return entries.length === 0 || entries.some(isUnsayable);
}

export function spell(parameters: Parameters, spelling: Spelling): Record<string, Json> {
  if (spelling === 'value' || (spelling === 'bracket' && isUnsayable(parameters))) {
    return { ...parameters };
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]): [string, Json] => {
      if (spelling === 'bracket') return [name, stringly(value)];
      if (Array.isArray(value) && spelling === 'list') return [name, value.join(',')];
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    }),
  );
}
