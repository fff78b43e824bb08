/**
 * What a payload asks for, sorted by the relations it goes through: all items at one place of its
 * shape stand together, so that the work depends on the shape and not on the number of items.
 */
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import type { Key } from '#core/query/key.ts';
import type { Item } from '../payload.ts';

/** Where something stands in the body: members and positions from the outside in. */
export type PayloadPath = readonly (string | number)[];

/** One item to be written. */
export interface PlannedItem {
  readonly place: PayloadPath;
  /** The members that are no lists of related items; related items stand as they were sent. */
  readonly item: Item;
  /** All members as they were sent, for the rules that judge payloads. */
  readonly sent: Item;
  /** The names of the lists of related items that it brings. */
  readonly lists: readonly string[];
  /** Null when the payload names none. */
  readonly key: Key | null;
  /** `either`: changed if it exists, else created with that key. */
  readonly intent: 'create' | 'update' | 'either';
  /** Items to be created that share this are one. */
  readonly match?: string | undefined;
  /** The same of items that are not told apart by their keys: the payload writes it once for several owners. */
  readonly shared?: string | undefined;
}

/** A related item that is named by its key alone. */
export interface NamedItem {
  readonly place: PayloadPath;
  readonly key: Key;
}

/** The items that items of a level refer to through one field. */
export interface ToOneStep {
  readonly relation: ManyToOne | AnyToOne;
  /** The end of the relation at the items that are referred to. */
  readonly end: End;
  readonly level: Level;
  /** For each item of `level`, the place of the item that refers to it. */
  readonly owners: readonly number[];
}

/** What one item's list of related items is to become. */
export interface Selection {
  readonly owner: number;
  readonly place: PayloadPath;
  /** Related items that are not named are taken out. */
  readonly whole: boolean;
  readonly linked: readonly NamedItem[];
  /** Taken out if they belong to the owner. */
  readonly removed: readonly NamedItem[];
}

/** The related items of the items of a level through one field. */
export interface ToManyStep {
  readonly relation: ToMany;
  readonly level: Level;
  /** For each item of `level`, the place of the item that it belongs to. */
  readonly owners: readonly number[];
  readonly selections: readonly Selection[];
}

/** All items at one place of a payload's shape, and what they bring with them. */
export interface Level {
  readonly collection: Collection;
  readonly items: readonly PlannedItem[];
  readonly toOne: readonly ToOneStep[];
  readonly toMany: readonly ToManyStep[];
}
