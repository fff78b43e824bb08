/** Which origins of web pages are meant by a variable such as CORS_ORIGIN. */
import * as v from 'valibot';

/** No origin, any without distinguishing them, any by its own name, some, or those that match. */
export type Origins = 'none' | '*' | 'each' | ReadonlySet<string> | RegExp;

/** Origins beyond this length are no host's; expressions are not tried on them. */
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
    // The whole origin must match: a part of it is anybody's to choose.
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
      message: 'must be false, true, *, origins such as https://example.com, or a /regex/ for all',
    });
    return NEVER;
  }),
);

/** A page of this origin is meant. The origin `null`, of pages that have none, never is. */
export function includesOrigin(rule: Origins, origin: string): boolean {
  if (rule === 'none' || origin === 'null' || origin.length > MAX_LENGTH) return false;
  if (rule === '*' || rule === 'each') return true;
  return rule instanceof RegExp ? rule.test(origin) : rule.has(origin);
}
