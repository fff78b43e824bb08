/** A plan that has met the rows that exist: what is done to which row, and how rows hang together. */
import type { Key } from '#core/query/key.ts';
import type { Item, Row } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import type { FoundRow } from './lock.ts';
import type { PayloadPath, ToManyStep, ToOneStep } from './plan.ts';

/** One row, on its way from the payload to the table. */
export interface RowNode {
  readonly place: PayloadPath;
  /** `keep`: the row is only referred to. */
  action: 'create' | 'update' | 'keep';
  /** Its own members; what is only known once other rows are written stands as PENDING. */
  item: Item;
  /** The members as they were sent, related items included. */
  sent: Item;
  /** The names of the lists of related items that it brings. */
  lists: readonly string[];
  /** The row as it was; null when it is created. */
  readonly found: FoundRow | null;
  /** The payload names its key, so that it would be changed if it existed. */
  readonly isNamed?: boolean;
  /** Known from the beginning for rows that exist, from their writing on for others. */
  key: Key | null;
  /** What is stored, once it is prepared. */
  row: Row;
  /** The members as they are stored, special values included. */
  stored: Item;
}

/** The key of a row that exists. */
export function keyOfRow({ key }: RowNode): Key {
  if (key === null) throw new TypeError('a row that is not written yet has no key');
  return key;
}

/** Items that refer to others through one field. */
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
  /** The rows that are taken out: nodes that lose their owner, or are deleted. */
  readonly taken: Work;
}

/** All rows at one place of a payload's shape. */
export interface Work {
  readonly write: WriteContext;
  /** The items that the request itself names: they are judged even if nothing of them changes. */
  readonly root: boolean;
  readonly nodes: RowNode[];
  readonly toOne: readonly ToOneWork[];
  readonly toMany: readonly ToManyWork[];
}
