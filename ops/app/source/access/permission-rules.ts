/**
 * The permissions of a policy as a matrix of collections and actions. A cell holds the rules that the
 * policy has there: none is no access, one without any limit is full access, everything else is custom.
 */
import type { Filter, Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import type { Action, Permission } from './access-types.ts';

export type Level = 'none' | 'custom' | 'full';

/** What one row of permissions says. */
export interface Rule {
  /** Which items; null for all. */
  readonly permissions: Filter | null;
  /** What has to hold of the payload; null for nothing. */
  readonly validation: Filter | null;
  readonly presets: Item | null;
  /** Names of fields; `*` for all. */
  readonly fields: readonly string[];
}

/** Rules by {@link cellKey}. */
export type Cells = ReadonlyMap<string, readonly Rule[]>;

export const NO_RULES: readonly Rule[] = [];

/** Everything that can be done, without any limit. */
export const FULL_RULE: Rule = {
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
};

export function cellKey(collection: string, action: string): string {
  return `${action} ${collection}`;
}

function isNothing(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0;
}

/** Whether a row has neither rule nor condition on what is sent. */
function isUnlimited({ permissions, validation, presets, fields }: Rule, action: Action): boolean {
  const anyItem = action === 'create' || isNothing(permissions);
  const anyField = action === 'delete' || fields.includes('*');
  return anyItem && anyField && isNothing(validation) && isNothing(presets);
}

/** What the rules of a cell come to. */
export function levelOf(rules: readonly Rule[], action: Action): Level {
  if (rules.length === 0) return 'none';
  const limits = rules.some(
    ({ validation, presets }) => !isNothing(validation) || !isNothing(presets),
  );
  return !limits && rules.some((rule) => isUnlimited(rule, action)) ? 'full' : 'custom';
}

/** A row of the API as a rule. */
export function ruleOf(row: Permission): Rule {
  return {
    permissions: row.permissions,
    validation: row.validation,
    presets: row.presets,
    fields: row.fields ?? [],
  };
}

/** The rules of permissions by their cells. */
export function cellsOf(rows: readonly Permission[]): Cells {
  const grouped = Map.groupBy(rows, (row) => cellKey(row.collection, row.action));
  return new Map([...grouped].map(([key, members]) => [key, members.map(ruleOf)]));
}

/** Changed rows in the form of a payload. */
export interface PermissionChanges {
  readonly create: readonly Item[];
  readonly update: readonly Item[];
  readonly delete: readonly number[];
}

/** The rows that stay, and which rules the others become. */
function changedRows(before: readonly Permission[], rules: readonly Rule[]) {
  const rows = [...before];
  const others = rules.filter((rule) => {
    const place = rows.findIndex((row) => sameValue(ruleOf(row), rule));
    if (place >= 0) rows.splice(place, 1);
    return place < 0;
  });
  return { rows, others };
}

/**
 * What has to be written so that changed cells are stored; null for nothing. Rules have no keys: one that
 * is not stored takes the place of a row whose rule is gone.
 */
export function permissionChanges(
  stored: readonly Permission[],
  changes: Cells,
): PermissionChanges | null {
  const create: Item[] = [];
  const update: Item[] = [];
  const gone: number[] = [];
  for (const [key, rules] of changes) {
    const space = key.indexOf(' ');
    const place = { action: key.slice(0, space), collection: key.slice(space + 1) };
    const before = stored.filter((row) => cellKey(row.collection, row.action) === key);
    const { rows, others } = changedRows(before, rules);
    for (const rule of others) {
      const id = rows.shift()?.id;
      if (id === undefined) create.push({ ...place, ...rule });
      else update.push({ id, ...rule });
    }
    gone.push(...rows.flatMap(({ id }) => id ?? []));
  }
  if (create.length + update.length + gone.length === 0) return null;
  return { create, update, delete: gone };
}
