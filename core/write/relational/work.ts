/**
 * A plan after existing rows were looked up: the action for each row, and the links between rows.
 */
import type { Key } from '#core/query/key.ts';
import type { Item, Row } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import type { FoundRow } from './lock.ts';
import type { PayloadPath, ToManyStep, ToOneStep } from './plan.ts';

/** One row, on its way from the payload to the table. */
export interface RowNode {
  readonly place: PayloadPath;
  /** `keep`: the row is only referenced. */
  action: 'create' | 'update' | 'keep';
  /** Its own members; VALUE_PENDING stands for a value that other rows determine. */
  item: Item;
  /** The members as the client sent them, including related items. */
  sent: Item;
  /** The names of its lists of related items. */
  lists: readonly string[];
  /** The row before the write; null when it is created. */
  readonly found: FoundRow | null;
  /** The payload names its key: if the row existed, it would be updated. */
  readonly isNamed?: boolean;
  /** Known from the beginning for existing rows; set when a new row is written. */
  key: Key | null;
  /** The column texts, set on preparation. */
  row: Row;
  /** The members as they are stored, including generated values. */
  stored: Item;
}

/** The key of a row that exists. */
export function keyOfRow({ key }: RowNode): Key {
  if (key === null) throw new TypeError('a row that is not written yet has no key');
  return key;
}

/** Items that refer to other items through one field. */
export interface ToOneWork {
  readonly step: ToOneStep;
  readonly work: Work;
  readonly pairs: readonly { readonly owner: RowNode; readonly target: RowNode }[];
}

/** Items with related items. */
export interface ToManyWork {
  readonly step: ToManyStep;
  readonly work: Work;
  readonly pairs: readonly { readonly owner: RowNode; readonly child: RowNode }[];
  /** The rows removed from lists: they lose their owner, or are deleted. */
  readonly taken: Work;
}

/** All rows at one place of a payload's shape. */
export interface Work {
  readonly write: WriteContext;
  /**
   * The items that the request names directly: their permissions are checked even if nothing
   * changes.
   */
  readonly root: boolean;
  readonly nodes: RowNode[];
  readonly toOne: readonly ToOneWork[];
  readonly toMany: readonly ToManyWork[];
}
