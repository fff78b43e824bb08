/** Functions on fields, written as `year(created)` or `json(settings, color.main)`. */

export const DATE_FUNCTIONS = ['year', 'month', 'week', 'day', 'weekday'] as const;
export const TIME_FUNCTIONS = ['hour', 'minute', 'second'] as const;
const FUNCTIONS = [...DATE_FUNCTIONS, ...TIME_FUNCTIONS, 'count', 'json'] as const;

export type FunctionName = (typeof FUNCTIONS)[number];

/** A function applied to a field. */
export interface FunctionCall {
  readonly name: FunctionName;
  readonly field: string;
  /** The path inside the document, for `json`; empty otherwise. */
  readonly path: string;
}

const KNOWN: ReadonlySet<string> = new Set(FUNCTIONS);

export function isFunction(name: string): name is FunctionName {
  return KNOWN.has(name);
}

/**
 * Parses one segment as a call; null when it is not one. Uses positions, because a pattern on
 * client input may take time that grows with a power of its length.
 */
export function parseFunctionCall(segment: string): FunctionCall | null {
  const open = segment.indexOf('(');
  if (open < 0 || !segment.endsWith(')')) return null;
  const name = segment.slice(0, open);
  const inner = segment.slice(open + 1, -1);
  const comma = inner.indexOf(',');
  const field = (comma < 0 ? inner : inner.slice(0, comma)).trim();
  const path = comma < 0 ? '' : inner.slice(comma + 1).trim();
  if (!isFunction(name) || field === '' || /[()]/.test(field)) return null;
  if ((path === '') !== comma < 0 || (path === '') === (name === 'json')) return null;
  return { name, field, path };
}

/** The key of a call's value in the result, unless an alias names it. */
export function functionResultKey(call: FunctionCall): string {
  if (call.name !== 'json') return `${call.field}_${call.name}`;
  const slug = `${call.field}_${call.path}`.replace(/[^A-Za-z0-9]+/g, '_').replace(/_+$/, '');
  return `${slug}_json`;
}
