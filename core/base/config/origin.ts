/** Parses the origins of web pages in a variable such as CORS_ORIGIN. */
import * as v from 'valibot';

/** No origin, any with `*`, any by its own name, a list, or those that match an expression. */
export type Origins = 'none' | '*' | 'each' | ReadonlySet<string> | RegExp;

/** Longer origins are not real hosts; expressions are not tried on them. */
const MAX_LENGTH = 300;

function originOf(entry: string): string | null {
  if (!URL.canParse(entry)) return null;
  const { origin, href } = new URL(entry);
  return href === `${origin}/` ? origin : null;
}

function expressionOf(text: string): RegExp | null {
  const source = /^\/(.+)\/$/.exec(text)?.[1] ?? /^regex:(.+)$/.exec(text)?.[1];
  if (source === undefined) return null;
  try {
    // The expression must match the whole origin, because an attacker can choose a part of it.
    return new RegExp(`^(?:${source})$`);
  } catch {
    return null;
  }
}

/** `false`, `true`, `*`, a comma list of origins, or an expression between slashes. */
export const origins = v.pipe(
  v.string(),
  v.rawTransform<string, Origins>(({ dataset, addIssue, NEVER }) => {
    const text = dataset.value.trim();
    if (text === 'false') return 'none';
    if (text === 'true') return 'each';
    if (text === '*') return '*';
    const expression = expressionOf(text);
    if (expression !== null) return expression;
    const listed = text.split(',').map((entry) => originOf(entry.trim()));
    const named = listed.filter((origin) => origin !== null);
    if (named.length === listed.length) return new Set(named);
    addIssue({
      message: 'must be false, true, *, origins such as https://example.com, or a /regex/',
    });
    return NEVER;
  }),
);

/** Whether the origin is allowed. The origin `null` never is. */
export function includesOrigin(rule: Origins, origin: string): boolean {
  if (rule === 'none' || origin === 'null' || origin.length > MAX_LENGTH) return false;
  if (rule === '*' || rule === 'each') return true;
  return rule instanceof RegExp ? rule.test(origin) : rule.has(origin);
}
