/** The flags of fields (`meta.special`) that people choose: what fills a field, and what hides it. */

export interface FlagGroup {
  readonly name: 'filled' | 'shown';
  /** One of them holds, or none. */
  readonly flags: readonly string[];
}

const DATES = new Set(['date', 'time', 'dateTime', 'timestamp']);
const TEXTS = new Set(['string', 'text']);

/** The groups of flags for a type. */
export function filledBy(type: string): readonly FlagGroup[] {
  if (DATES.has(type)) return [{ name: 'filled', flags: ['date-created', 'date-updated'] }];
  if (type === 'uuid') {
    return [{ name: 'filled', flags: ['uuid', 'user-created', 'user-updated'] }];
  }
  return TEXTS.has(type) ? [{ name: 'shown', flags: ['conceal'] }] : [];
}

/** The flags with another choice in a group; all others stay. */
export function withFlag(
  flags: readonly string[],
  groups: readonly FlagGroup[],
  name: string,
  chosen: string | null,
): readonly string[] | null {
  const group = groups.find((one) => one.name === name);
  const kept = flags.filter((flag) => group?.flags.includes(flag) !== true);
  const next = chosen === null || chosen === '' ? kept : [...kept, chosen];
  return next.length === 0 ? null : next;
}
