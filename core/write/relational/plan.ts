/**
 * The requested writes of a payload, grouped by relation. All items at one place of the payload's
 * shape form one level. The work therefore depends on the shape and not on the number of items.
 */
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import type { Key } from '#core/query/key.ts';
import type { Item } from '../payload.ts';

/** A place in the body: member names and list positions, outermost first. */
export type PayloadPath = readonly (string | number)[];

/** One item to be written. */
export interface PlannedItem {
  readonly place: PayloadPath;
  /** The members except lists of related items; nested items are as the client sent them. */
  readonly item: Item;
  /** All members as the client sent them, for validation. */
  readonly sent: Item;
  /** The names of its lists of related items. */
  readonly lists: readonly string[];
  /** Null when the payload names no key. */
  readonly key: Key | null;
  /** `either`: update it if it exists, else create it with that key. */
  readonly intent: 'create' | 'update' | 'either';
  /** New items with the same value become one item. */
  readonly match?: string | undefined;
  /**
   * The same for items without distinguishing keys: the payload contains the item once for several
   * owners.
   */
  readonly shared?: string | undefined;
}

/** A related item that only its key identifies. */
export interface NamedItem {
  readonly place: PayloadPath;
  readonly key: Key;
}

/** The items that the items of a level refer to through one field. */
export interface ToOneStep {
  readonly relation: ManyToOne | AnyToOne;
  /** The relation's end on the referenced side. */
  readonly end: End;
  readonly level: Level;
  /** For each item of `level`, the position of the item that refers to it. */
  readonly owners: readonly number[];
}

/** The requested contents of one item's list of related items. */
export interface Selection {
  readonly owner: number;
  readonly place: PayloadPath;
  /** Related items that are not named are removed. */
  readonly whole: boolean;
  readonly linked: readonly NamedItem[];
  /** Removed if they belong to the owner. */
  readonly removed: readonly NamedItem[];
}

/** The related items of the items of a level through one field. */
export interface ToManyStep {
  readonly relation: ToMany;
  readonly level: Level;
  /** For each item of `level`, the position of its owner. */
  readonly owners: readonly number[];
  readonly selections: readonly Selection[];
}

/** All items at one place of a payload's shape, with their related levels. */
export interface Level {
  readonly collection: Collection;
  readonly items: readonly PlannedItem[];
  readonly toOne: readonly ToOneStep[];
  readonly toMany: readonly ToManyStep[];
}
