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
  /** Null for one that is not stored yet. */
  readonly id: number | null;
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
  id: null,
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
    id: row.id ?? null,
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

/** The rules for a level, which keep the row that is stored. */
export function rulesFor(level: 'none' | 'full', before: readonly Rule[]): readonly Rule[] {
  if (level === 'none') return NO_RULES;
  return [{ ...FULL_RULE, id: before[0]?.id ?? null }];
}

/** The changes with one more cell; what is as it is stored is no change. */
export function withCell(
  stored: Cells,
  changes: Cells,
  key: string,
  rules: readonly Rule[],
): Cells {
  const next = new Map(changes);
  if (sameValue(rules, stored.get(key) ?? NO_RULES)) next.delete(key);
  else next.set(key, rules);
  return next;
}

/** Changed rows in the form of a payload. */
export interface PermissionChanges {
  readonly create: readonly Item[];
  readonly update: readonly Item[];
  readonly delete: readonly number[];
}

/** What has to be written so that changed cells are stored; null for nothing. */
export function permissionChanges(stored: Cells, changes: Cells): PermissionChanges | null {
  const create: Item[] = [];
  const update: Item[] = [];
  const gone: number[] = [];
  for (const [key, rules] of changes) {
    const before = stored.get(key) ?? NO_RULES;
    const space = key.indexOf(' ');
    const place = { action: key.slice(0, space), collection: key.slice(space + 1) };
    for (const { id, ...rule } of rules) {
      if (id === null) create.push({ ...place, ...rule });
      else if (
        !sameValue(
          { id, ...rule },
          before.find((known) => known.id === id),
        )
      ) {
        update.push({ id, ...rule });
      }
    }
    const kept = new Set(rules.map(({ id }) => id));
    gone.push(...before.flatMap(({ id }) => (id === null || kept.has(id) ? [] : [id])));
  }
  if (create.length + update.length + gone.length === 0) return null;
  return { create, update, delete: gone };
}
