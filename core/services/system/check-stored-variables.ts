/** Checks variables in stored filters and presets: one that can never be resolved is refused. */
import { invalidPayload } from '#core/errors/service-error.ts';
import { pathFault } from '#core/mutation/caller-record.ts';
import { isRecordPath } from '#core/query/plan/record.ts';
import type { ReadTarget } from '#core/query/sql/compile.ts';
import { isUnknownVariable } from '#core/validation/unknown-variable.ts';

function faultOf(target: ReadTarget, text: string): string | null {
  if (isUnknownVariable(text)) return `"${text}" is not a variable.`;
  if (!isRecordPath(text)) return null;
  const fault = pathFault(target, text);
  return fault === null ? null : `"${text}" cannot be resolved: ${fault}`;
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
    if (fault !== null) throw invalidPayload(`"${place}": ${fault}`, { field });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkVariables(target, member, field, `${place}.${name}`);
    }
  }
}
