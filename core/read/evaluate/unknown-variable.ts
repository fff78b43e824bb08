/** Finds unknown variables in stored values: an unknown variable would never have a value. */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { isRecordPath } from '../plan/caller-record-path.ts';

const VARIABLES: ReadonlySet<string> = new Set([
  '$CURRENT_USER',
  '$CURRENT_ROLE',
  '$CURRENT_ROLES',
  '$CURRENT_POLICIES',
]);

/** Whether a text begins like a variable of the caller, but names no variable. */
export function isUnknownVariable(text: string): boolean {
  return text.startsWith('$CURRENT_') && !VARIABLES.has(text) && !isRecordPath(text);
}

/** The fault of the variables in a JSON value; null without a fault. */
export function variableFault(value: unknown, place: string): Reason | null {
  if (typeof value === 'string') {
    return isUnknownVariable(value) ? reason('no_such_variable', { place, value }) : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const fault = variableFault(member, `${place}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}
