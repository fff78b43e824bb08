/** Checks variables in stored filters and presets: one that can never be resolved is rejected. */

import { placed, type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { isUnknownVariable } from '#core/read/evaluate/unknown-variable.ts';
import { isRecordPath } from '#core/read/plan/caller-record-path.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import { pathFault } from '#core/write/caller-record.ts';

function faultOf(target: ReadTarget, text: string): Reason | null {
  if (isUnknownVariable(text)) return reason('variable_unknown', { text });
  if (!isRecordPath(text)) return null;
  const fault = pathFault(target, text);
  return fault === null ? null : placed(`"${text}" cannot be resolved: `, fault);
}

/**
 * Checks the variables in a JSON value.
 * @param field the member that contains it
 * @throws ServiceError INVALID_PAYLOAD naming the path
 */
export function checkVariables(
  target: ReadTarget,
  value: unknown,
  field: string,
  place = field,
): void {
  if (typeof value === 'string') {
    const fault = faultOf(target, value);
    if (fault !== null) throw invalidPayload(placed(`"${place}": `, fault), { field });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkVariables(target, member, field, `${place}.${name}`);
    }
  }
}
