/** The dynamic variables of filters. */
import type { Json } from '../model.ts';
import { NOTHING, type Operand } from './operator.ts';
import type { Run } from './run.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  second: 1_000,
  s: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  h: 3_600_000,
  day: 86_400_000,
  d: 86_400_000,
  week: 604_800_000,
  w: 604_800_000,
  // Rows are decades away, so that the length of a month or a year makes no difference.
  month: 2_592_000_000,
  year: 31_536_000_000,
};

function shifted(now: Date, shift: string): string {
  const [, sign = '', amount = '0', unit = ''] =
    /^\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*([a-z]*?)s?\s*$/.exec(shift) ?? [];
  const ms = UNIT_MS[unit === '' ? 'day' : unit] ?? UNIT_MS[`${unit}s`] ?? 0;
  return new Date(now.getTime() + (sign === '-' ? -1 : 1) * Number(amount) * ms).toISOString();
}

function listOf(values: readonly string[]): Operand {
  return values.length === 0 ? NOTHING : values;
}

/** The value of a variable; a text that is none stands for itself. */
function resolveOne(run: Run, value: Json): Operand {
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  const { asker } = run;
  if (value === '$NOW') return run.now.toISOString();
  if (value.startsWith('$NOW(')) return shifted(run.now, value.slice(5, -1));
  if (value === '$CURRENT_USER') return asker.user ?? NOTHING;
  if (value === '$CURRENT_ROLE') return asker.role ?? NOTHING;
  if (value === '$CURRENT_ROLES') return listOf(asker.roles);
  if (value === '$CURRENT_POLICIES') return listOf(asker.policies);
  return value;
}

/** An operator's value with its variables resolved; a list inside a list is flattened. */
export function resolve(run: Run, value: Json): Operand {
  if (Array.isArray(value)) return value.flatMap((entry) => resolveOne(run, entry));
  return resolveOne(run, value);
}

/** A comparison somewhere in this filter is with a variable that has no value. */
export function isBarred(run: Run, filter: Json): boolean {
  if (typeof filter === 'string') return resolveOne(run, filter) === NOTHING;
  if (typeof filter !== 'object' || filter === null) return false;
  return Object.values(filter).some((value) => isBarred(run, value));
}
