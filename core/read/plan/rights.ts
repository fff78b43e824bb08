/** Applies the caller's permissions to all tables of a plan, once per table. */
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Filter } from '#core/query/query.ts';
import { type Condition, NEVER } from './condition.ts';
import { planFilter } from './filter.ts';
import { type PlanContext, type Scope, unlimited } from './scope.ts';

/**
 * The condition of a rule, which may use all fields. A rule that cannot be planned, for example
 * because of a dropped field, holds for no row.
 */
export function planRule(scope: Scope, rule: Filter): Condition {
  try {
    return planFilter(unlimited(scope), rule);
  } catch (error) {
    if (error instanceof ServiceError) return NEVER;
    throw error;
  }
}

/** Plans the rules of all opened tables; tables inside rules have no rules. */
export function planRights({ notes }: PlanContext): void {
  for (let scope = notes.open.shift(); scope !== undefined; scope = notes.open.shift()) {
    for (const [index, { rule }] of scope.grant.entries()) {
      const right = scope.table.rights[index];
      if (right !== undefined && rule !== null) right.condition = planRule(scope, rule);
    }
  }
}
