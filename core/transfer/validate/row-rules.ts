/**
 * The requirements of the caller's permissions and all validations for the staged rows of one
 * action, as conditions.
 */
import type { Permission } from '#core/access/rights.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { Filter } from '#core/query/query.ts';
import { rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import { coveringPermissions } from '#core/write/check-permissions.ts';
import { ItemPreparation } from '#core/write/item-preparation.ts';
import type { Action } from '#core/write/payload.ts';
import { hasSecrets } from '#core/write/special-flags.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { STAGING, type Staged } from '../copy/staging-table.ts';
import type { ActionValues } from '../target/generated-values.ts';
import { all, any, type Condition, not } from './condition.ts';
import { RowSource, SOURCE_ROW_NUMBER } from './row-source.ts';
import { aliasOf, RuleConditions } from './rule-condition.ts';

/** The requirements for the rows of one action. */
export interface RowRules {
  readonly action: Action;
  readonly preparation: ItemPreparation;
  /** Holds for the rows that the caller may write with this action. */
  readonly isAllowed: Condition;
  /** Holds for rows that are certainly valid; other rows need a check. */
  readonly isValid: Condition;
  /** The source of the rows in the conditions. */
  readonly source: RowSource;
  /** Rules on the updated items, in the order of the columns from {@link ruled}. */
  readonly rules: readonly Filter[];
}

function ruleColumn(index: number): string {
  return `sluice rule ${index}`;
}

/** Holds where the permissions to create cover the given fields of a row. */
function creationAllowed(permissions: readonly Permission[], source: RowSource): Condition {
  if (permissions.length === 0) return false;
  const covers = (name: string) =>
    permissions.some(({ fields }) => fields === null || fields.has(name));
  return all(source.names.filter((name) => !covers(name)).map((name) => not(source.isGiven(name))));
}

/** Holds where the update permissions that hold for the item cover the given fields of a row. */
function changeAllowed(
  permissions: readonly Permission[],
  source: RowSource,
  { key, rules }: { key: ReadonlySet<string>; rules: readonly Filter[] },
): Condition {
  const needed = (names: readonly string[]): Condition => {
    const sets = coveringPermissions(permissions, names);
    if (sets === null) return false;
    const holds = ({ rule }: Permission) =>
      rule === null || identifier(source.alias, ruleColumn(rules.indexOf(rule)));
    return all(sets.map((set) => any(set.map(holds))));
  };
  const members = source.names.filter((name) => !key.has(name));
  return all([
    needed([]),
    ...members.map((name) => any([not(source.isGiven(name)), needed([name])])),
  ]);
}

/** The requirements for staged rows. */
export async function rowRulesOf(
  write: WriteContext,
  action: Action,
  staged: Staged,
  made: ActionValues,
): Promise<RowRules> {
  const { collection, target } = write;
  const preparation = await ItemPreparation.open(write, action);
  const permissions = target.rights.of(collection.name, action);
  const rules = [...new Set(permissions.flatMap(({ rule }) => (rule === null ? [] : [rule])))];
  const source = new RowSource(aliasOf(write), staged, made);
  const conditions = new RuleConditions(write, source);
  const key = new Set(collection.primaryKey.map(({ name }) => name));
  const isAllowed =
    action === 'create'
      ? creationAllowed(permissions, source)
      : changeAllowed(permissions, source, { key, rules });
  const secrets = staged.columns.filter(({ field }) => hasSecrets(field));
  const isValid = all([
    !made.impossible,
    ...[...made.misfits].map((name) => source.isGiven(name)),
    ...preparation.rules.map((rule) => conditions.passes(rule)),
    ...secrets.map(({ field }) => not(source.isEmptyText(field))),
  ]);
  return {
    action,
    preparation,
    isAllowed,
    isValid,
    source,
    rules: action === 'create' ? [] : rules,
  };
}

/** Whether every row is valid without a check. */
export function alwaysPasses({ isAllowed, isValid }: RowRules): boolean {
  return isAllowed === true && isValid === true;
}

/** The existing items, as `t`: some columns, and whether each of the rules holds. */
function ruled(write: WriteContext, rules: readonly Filter[], columns: readonly string[]): Sql {
  const table = rowsWithRuleResults(
    { ...write.target, collection: write.collection.name },
    rules,
    write.now,
  );
  const verdicts = table.verdicts.map(
    (verdict, index) => sql`${verdict} AS ${identifier(ruleColumn(index))}`,
  );
  const values = columns.map((name) => sql`${table.column(name)} AS ${identifier(name)}`);
  return sql`(SELECT ${join([...values, ...verdicts])} FROM ${table.from}) t`;
}

/** The columns of the key of an item that is updated, as texts. */
export function keyTextColumns(part: number): string {
  return `sluice key ${part}`;
}

/** The rows to validate, under the alias of its conditions. */
export function ruleSource(
  write: WriteContext,
  { action, source, rules }: RowRules,
  { same, key, table }: { same: Sql | null; key: readonly string[]; table: Sql },
): Sql {
  const number = sql`s."row" AS ${SOURCE_ROW_NUMBER}`;
  const own = [number, ...source.columns];
  if (action === 'create') {
    const isNew =
      same === null ? sql`` : sql` WHERE NOT EXISTS (SELECT FROM ${table} t WHERE ${same})`;
    return sql`(SELECT ${join(own)} FROM ${STAGING} s${isNew}) AS ${identifier(source.alias)}`;
  }
  const primary = write.collection.primaryKey.map(({ column }) => column.name);
  const keys = primary.map(
    (name, part) => sql`t.${identifier(name)}::text AS ${identifier(keyTextColumns(part))}`,
  );
  const verdicts = rules.map((_, index) => sql`t.${identifier(ruleColumn(index))}`);
  const items = ruled(write, rules, [...new Set([...key, ...primary])]);
  return sql`(SELECT ${join([...own, ...keys, ...verdicts])} FROM ${STAGING} s
    JOIN ${items} ON ${same ?? sql`FALSE`}) AS ${identifier(source.alias)}`;
}
