/** What the server says about the fields of a payload: each text with the place that it is about. */
import { SluiceError } from '../../../client/source/index.ts';
import { breaksRule, refusalText, type Translate } from './fault-text.ts';
import type { Field, Item } from './schema-types.ts';
import { sameValue } from './values.ts';

export interface Fault {
  /** The field, and below it the place within nested items: `people`, `create`, `0`, `age`. */
  readonly path: readonly string[];
  readonly message: string;
  /** Whether a rule of the field was broken, for which it may have words of its own. */
  readonly byRule?: boolean;
}

function isStep(step: unknown): step is string | number {
  return typeof step === 'string' || typeof step === 'number';
}

/** The faults of an error that name a field; none for an error about something else. */
export function faultsOf(error: unknown, translate: Translate): readonly Fault[] {
  if (!(error instanceof SluiceError)) return [];
  return error.errors.flatMap(({ message, extensions }) => {
    const { field, path } = extensions;
    if (typeof field !== 'string') return [];
    const told = refusalText(extensions, translate, message);
    const below = Array.isArray(path) ? path.filter(isStep).map(String) : [];
    const byRule = breaksRule(extensions);
    // Several fields together, such as those of a check, are joined by commas.
    return field
      .split(',')
      .map((name) => ({ path: [name.trim(), ...below], message: told, byRule }));
  });
}

function valueAt(payload: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, step) : null,
    payload,
  );
}

/** The faults whose value is still the one that was sent: a corrected value has no fault until it is sent. */
export function standingFaults(
  faults: readonly Fault[],
  sent: Item | undefined,
  now: Item,
): readonly Fault[] {
  return faults.filter(({ path }) => sameValue(valueAt(sent, path), valueAt(now, path)));
}

/** The faults below a place, with paths from there. */
export function faultsBelow(
  faults: readonly Fault[],
  ...place: readonly (string | number)[]
): readonly Fault[] {
  return faults
    .filter(({ path }) => place.every((step, index) => path[index] === String(step)))
    .map((fault) => ({ ...fault, path: fault.path.slice(place.length) }));
}

/** What is wrong with a field itself; null when nothing is, or only with what is below it. */
export function faultAt(faults: readonly Fault[], { field, meta }: Field): string | null {
  const fault = faults.find(({ path }) => path.length === 1 && path[0] === field);
  if (fault === undefined) return null;
  return (fault.byRule && meta?.validation_message) || fault.message;
}
