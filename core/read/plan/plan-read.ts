/** Plans whole reads: lists of items, single items, and the numbers of `meta`. */

import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Sql } from '#core/database/sql.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { PAGE_LIMIT, requireCost } from '#core/query/limits.ts';
import type { ItemColumn, MetaName, Query } from '#core/query/query.ts';
import { costOf, itemCostOf } from './cost.ts';
import { type Levels, levelConditions, planLevel } from './level.ts';
import {
  type Entry,
  isAboveBatch,
  type LevelPlan,
  type Meta,
  type Plan,
  type RowChoice,
} from './plan.ts';
import { planRights } from './rights.ts';
import {
  contextOf,
  guardOf,
  openScope,
  type PlanContext,
  type ReadTarget,
  type Scope,
  visibleField,
} from './scope.ts';

/** The rows of the collection to read. */
export interface RowSelection {
  /** Null: all rows that the query matches. */
  readonly rows?: RowChoice | null;
  /** The caller supplied the keys: the result must not confirm keys that are hidden from it. */
  readonly isAsked?: boolean;
  /** A row source that replaces the collection's table. */
  readonly source?: Sql | null;
}

/** The rows on which the caller may see the whole key. */
function keySeen(scope: Scope): Plan['keySeen'] {
  const names = scope.collection.primaryKey.map(({ name }) => name);
  if (names.some((name) => visibleField(scope, name) === null)) return 'nowhere';
  return names.flatMap((name) => guardOf(scope, name) ?? []);
}

/** Plans one number of `meta`. */
function planMeta(scope: Scope, query: Query, name: MetaName): Meta {
  const conditions = name === 'filter_count' ? levelConditions(scope, query) : [];
  // The planner's estimate ignores rules, so it is only for callers with a permission without a
  // rule.
  if (name === 'estimated_count') {
    if (scope.grant.every(({ rule }) => rule !== null)) {
      throw forbidden(reason('estimated_count_not_allowed'));
    }
    scope.context.notes.fleeting = true;
  }
  return { name, table: scope.table, conditions };
}

/**
 * Marks the levels to read for all their parents at once: those that need scans, and those above
 * them.
 */
function settle(levels: Levels): void {
  for (const { plan, scope } of levels) {
    plan.atOnce = (scope.level.scans && scope.depth > 0) || isAboveBatch(plan);
  }
}

function isDocument(entry: Entry): boolean {
  if (entry.kind !== 'value') return false;
  const { value } = entry;
  if (value.kind === 'call') return value.name === 'json';
  return (
    value.kind === 'column' &&
    value.column.field.type === 'json' &&
    !isConcealed(value.column.field)
  );
}

/** The column with the values of an entry, as they are stored. */
function storedColumn(entry: Entry): Pick<ItemColumn, 'column'> {
  if (entry.kind !== 'value' || entry.value.kind !== 'column') return {};
  const { field } = entry.value.column;
  return isConcealed(field) || field.codec !== null ? {} : { column: field.column };
}

/** The plain values of an item, in order. */
function columnsOf({ content }: LevelPlan): ItemColumn[] {
  if (content.kind === 'groups') {
    const names = content.aggregates.map(({ term: { aggregate, field } }) =>
      field === '*' ? [aggregate] : [aggregate, field],
    );
    const paths = [...content.groups.map(({ key }) => [key]), ...names];
    return paths.map((path) => ({ path, isDocument: false }));
  }
  return [...content.entries].flatMap(([key, entry]): ItemColumn[] => {
    if (entry.kind !== 'one') {
      return [{ path: [key], isDocument: isDocument(entry), ...storedColumn(entry) }];
    }
    return columnsOf(entry.level).map((column) => ({ ...column, path: [key, ...column.path] }));
  });
}

function planRead(
  target: ReadTarget,
  query: Query,
  { rows = null, isAsked = false, source = null }: RowSelection,
  ordered: boolean,
): Plan {
  const context: PlanContext = contextOf(target, {
    usesPlaceholders: true,
    backlink: query.backlink,
  });
  const open = () => openScope(context, target.collection, source);
  const levels: Levels = [];
  const scope = open();
  const root = planLevel(scope, query, levels, ordered);
  const meta = query.meta.map((name) => planMeta(open(), query, name));
  const cost = costOf(root, PAGE_LIMIT);
  const limits = target.bounds.limits ?? DEFAULT_LIMITS;
  requireCost(cost, limits.cost);
  planRights(context);
  settle(levels);
  const { fleeting, volatile, conditions, reads, aliases } = context.notes;
  return {
    ...{ root, rows, meta, tables: aliases, cost, answerSize: limits.answerSize },
    ...{ itemCost: itemCostOf(root, Number.POSITIVE_INFINITY), nestedItems: limits.nestedItems },
    keySeen: isAsked ? keySeen(scope) : [],
    columns: columnsOf(root),
    reads: fleeting ? null : reads,
    unconditional: !conditions && rows?.kind !== 'keys',
    reusable: !volatile,
  };
}

/**
 * Plans a list of items.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function planList(target: ReadTarget, query: Query, rows: RowSelection = {}): Plan {
  return planRead(target, query, rows, true);
}

/** Plans one item by its key. @throws ServiceError as {@link planList} */
export function planItem(target: ReadTarget, query: Query, rows: RowSelection): Plan {
  return planRead(target, { ...query, limit: null, offset: 0, meta: [] }, rows, false);
}

/** Plans the first item in the collection's own order. @throws ServiceError as {@link planList} */
export function planFirst(target: ReadTarget, query: Query): Plan {
  return planRead(target, { ...query, limit: 1, offset: 0, meta: [] }, {}, true);
}
