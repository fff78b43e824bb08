/** Whether a filter is complete: each condition has what it needs and nothing besides. */
import type { Json } from '../model.ts';
import { Refusal } from './refusal.ts';
import { entries, isMembers } from './run.ts';

const FLAG = /^_n?(null|empty)$/;
const ORDER = /^_[lg]te?$/;

/** Holds for everything: an empty object, or `_and` of nothing but such. */
function isUnconditional(filter: Json): boolean {
  return (
    isMembers(filter) &&
    entries(filter).every(
      ([key, value]) => key === '_and' && Array.isArray(value) && value.every(isUnconditional),
    )
  );
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

function listOf(value: Json): readonly Json[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',');
  return Array.isArray(value) ? value : [];
}

function isOperand(operator: string, value: Json): boolean {
  if (FLAG.test(operator)) return [true, false, ''].some((flag) => flag === value);
  if (/^_n?in$/.test(operator)) return listOf(value).length > 0 && listOf(value).every(isScalar);
  if (/^_n?between$/.test(operator)) {
    const list = listOf(value);
    return list.length === 2 && list.every((entry) => isScalar(entry) && entry !== null);
  }
  if (ORDER.test(operator)) return isScalar(value) && value !== null;
  return isScalar(value);
}

const GROUPS = ['_and', '_or'];
const NESTING = ['_some', '_none', '_json'];
const OPERATOR =
  /^_(n?eq|[lg]te?|n?in|n?between|n?null|n?empty|n?i?(contains|starts_with|ends_with)|n?ieq)$/;

function isCompleteMember(key: string, value: Json): boolean {
  if (GROUPS.includes(key)) {
    if (!Array.isArray(value) || !value.every(isComplete)) return false;
    return key === '_and' || (value.length > 0 && !value.some(isUnconditional));
  }
  if (key === '__proto__') return false;
  if (key.startsWith('_') && !NESTING.includes(key)) {
    return OPERATOR.test(key) && isOperand(key, value);
  }
  if (!NESTING.includes(key) && !isMembers(value)) return isScalar(value);
  return isComplete(value) && !isUnconditional(value);
}

/** Of what stands in a filter, wherever it stands. */
export function isComplete(filter: Json): boolean {
  return isMembers(filter) && entries(filter).every(([key, value]) => isCompleteMember(key, value));
}

/** Refuses a query of which some filter is not complete, whether or not it is ever looked at. */
export function requireComplete(source: Json | undefined, prefix: '' | '_'): void {
  const filter = isMembers(source) ? source[`${prefix}filter`] : undefined;
  if (filter !== undefined && !isComplete(filter)) throw new Refusal('an incomplete condition');
  const below =
    prefix === ''
      ? entries(isMembers(source) ? source.deep : undefined)
      : entries(source).filter(([name]) => !name.startsWith('_'));
  for (const [, level] of below) requireComplete(level, '_');
}
