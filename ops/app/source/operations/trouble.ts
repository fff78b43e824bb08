/** The checks of the health that are not well, the worst first. */
import type { Health } from '../../../client/source/index.ts';
import type { Check } from './check-words.ts';

export interface Trouble {
  readonly check: Check;
  readonly status: string;
  readonly reason: string;
}

const RANK: Readonly<Record<string, number>> = { error: 0, warn: 1 };

/** Texts and numbers of the answer; nothing for what is missing. */
const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

/**
 * @param isTold whether a queue is told of by itself, so that its check would say the same again
 */
export function troublesOf(
  checks: NonNullable<Health['checks']>,
  isTold: (queue: string) => boolean,
): readonly Trouble[] {
  const found = Object.entries(checks).flatMap(([name, observations]) =>
    observations.map((one): Trouble => {
      const { componentId, observedValue: value, observedUnit, status, output } = one;
      const check = { name, component: text(componentId), value, unit: text(observedUnit) };
      return { check, status: text(status), reason: text(output) };
    }),
  );
  const isNew = (trouble: Trouble, index: number) =>
    found.findIndex(
      ({ check, status }) =>
        check.name === trouble.check.name &&
        check.component === trouble.check.component &&
        status in RANK,
    ) === index;
  return found
    .filter(
      (trouble, index) =>
        trouble.status in RANK &&
        isNew(trouble, index) &&
        !(trouble.check.name === 'queue:waiting' && isTold(trouble.check.component)),
    )
    .toSorted((one, other) => (RANK[one.status] ?? 2) - (RANK[other.status] ?? 2));
}
