/** Where an answer differs from what was expected. */
import { type Answer, Approximate } from './evaluate/aggregate.ts';

function isApproximate(expected: Approximate, actual: unknown): boolean {
  if ((typeof actual === 'string') !== expected.asText) return false;
  const wanted = Number(expected.value);
  return Math.abs(Number(actual) - wanted) <= 1e-8 + 1e-15 * Math.abs(wanted);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The first difference, as a sentence with its place; null when there is none. */
export function difference(
  expected: Answer | undefined,
  actual: unknown,
  place = '',
): string | null {
  const report = () =>
    `at ${place === '' ? 'the root' : place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  if (expected instanceof Approximate) return isApproximate(expected, actual) ? null : report();
  if (typeof expected !== 'object' || expected === null) {
    return expected === actual ? null : report();
  }
  if (typeof actual !== 'object' || actual === null) return report();
  if (Array.isArray(expected) !== Array.isArray(actual)) return report();
  const wanted = new Map<string, Answer>(Object.entries(expected));
  const found = new Map(entriesOf(actual));
  if (wanted.size !== found.size || [...wanted.keys()].some((key) => !found.has(key))) {
    return report();
  }
  for (const [key, value] of wanted) {
    const below = difference(value, found.get(key), `${place}/${key}`);
    if (below !== null) return below;
  }
  return null;
}
