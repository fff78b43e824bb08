/** A policy as its form changes it: its own fields, and a member for each cell of its matrix. */
import type { Item } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';
import type { Sending } from '../draft/use-save.ts';
import { ACTIONS, type Permission, type Policy } from './access-types.ts';
import {
  type Cells,
  cellKey,
  cellsOf,
  NO_RULES,
  permissionChanges,
  type Rule,
} from './permission-rules.ts';

type CellName = `cell:${string}`;

export type PolicyItem = Policy & { readonly [cell: CellName]: readonly Rule[] };

export interface StoredPolicy extends Stored<PolicyItem> {
  readonly permissions: readonly Permission[];
}

/** As the API tells it. */
export type WholePolicy = Policy & { readonly permissions: readonly Permission[] };

const CELL = 'cell:';

function isCell(name: string): name is CellName {
  return name.startsWith(CELL);
}

/** The name of a cell with a key of {@link cellKey}. */
export function cellName(key: string): CellName {
  return `${CELL}${key}`;
}

/** The cells that an item has, or those of them that are named. */
export function itemCells(item: PolicyItem, names: readonly string[] = Object.keys(item)): Cells {
  return new Map(
    names.filter(isCell).map((name) => [name.slice(CELL.length), item[name] ?? NO_RULES]),
  );
}

/** The action and the collection of a cell; null for a field. */
export function cellOf(name: string) {
  if (!isCell(name)) return null;
  const key = name.slice(CELL.length);
  const action = ACTIONS.find((one) => key.startsWith(`${one} `));
  return action === undefined ? null : { action, collection: key.slice(action.length + 1) };
}

/** Collections without rules have empty cells, so that rules of another person meet those made here. */
export function storedPolicy(
  { permissions, ...own }: WholePolicy,
  collections: Iterable<string>,
  tag: string | null,
): StoredPolicy {
  const empty = [...collections].flatMap((collection) =>
    ACTIONS.map((action) => [cellName(cellKey(collection, action)), NO_RULES] as const),
  );
  const cells = [...cellsOf(permissions)].map(([key, rules]) => [cellName(key), rules] as const);
  return { item: { ...own, ...Object.fromEntries([...empty, ...cells]) }, permissions, tag };
}

/** What is sent to store changes; of a new policy all of it. */
export function policyPayload({ changes, base }: Sending<StoredPolicy>, isNew: boolean): Item {
  const { id: _, ...values } = { ...base.item, ...changes };
  const sent: Item = isNew ? values : changes;
  const own = Object.entries(sent).filter(([name]) => !isCell(name));
  const cells = itemCells({ ...base.item, ...changes }, Object.keys(changes));
  const permissions = permissionChanges(base.permissions, cells);
  return { ...Object.fromEntries(own), ...(permissions !== null && { permissions }) };
}
