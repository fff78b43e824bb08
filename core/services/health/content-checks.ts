/** The health of unclaimed content in storages: arriving uploads, and bytes to remove. */

import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import type { UnclaimedAmount } from '#core/files/unclaimed-content.ts';

const COMPONENT = { componentType: 'objectstore' } as const;

function checksOf({ arriving, left }: UnclaimedAmount): readonly HealthCheck[] {
  const found: HealthCheck[] = [];
  if (arriving.files > 0) {
    const output = `${arriving.bytes} bytes of uploads that arrive or can be resumed.`;
    const observed = { observedUnit: 'files', observedValue: arriving.files } as const;
    found.push({ status: 'ok', ...COMPONENT, componentId: 'arriving', ...observed, output });
  }
  if (left.files > 0) {
    const output = `${left.bytes} bytes that no file refers to; they are removed within a minute, or as soon as the storage allows it.`;
    const observed = { observedUnit: 'files', observedValue: left.files } as const;
    found.push({ status: 'warn', ...COMPONENT, componentId: 'left', ...observed, output });
  }
  return found;
}

/**
 * The checks `storage:<name>:unclaimed`; storages without such content have no check. Never throws.
 */
export async function contentChecks(
  amounts: () => Promise<readonly UnclaimedAmount[]>,
): Promise<HealthChecks> {
  try {
    const found = await amounts();
    return Object.fromEntries(
      found.map((amount) => [`storage:${amount.storage}:unclaimed`, checksOf(amount)]),
    );
  } catch {
    const output = 'What no file refers to could not be looked at.';
    return { 'storage:unclaimed': [{ status: 'warn', ...COMPONENT, output }] };
  }
}
