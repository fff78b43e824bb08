/** The context of one write request through its stages inside a transaction. */
import type { Rights } from '#core/access/rights.ts';
import type { Client } from '#core/database/pool.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import type { History } from './history/history.ts';
import type { Action, Item } from './payload.ts';

/** A write that was prepared without a connection needs a database lookup. */
export class LookupNeededError extends Error {
  constructor() {
    super('A write that is done at once needs something to be looked up.');
    this.name = 'LookupNeededError';
  }
}

/** Replaces the connection before one is taken. */
export const NO_CONNECTION: Client = Object.freeze({
  query: () => {
    throw new LookupNeededError();
  },
});

/** The read target of a write, with the caller's permissions. */
export interface WriteTarget extends ReadTarget {
  readonly rights: Rights;
}

/** A write that has begun. */
export interface WriteContext {
  readonly target: WriteTarget;
  readonly collection: Collection;
  /** A connection inside the transaction. */
  readonly client: Client;
  /** The time of generated values and of `$NOW`. */
  readonly now: Date;
  /** The collection's requirements beyond permissions. */
  readonly rule: CollectionRule;
  /** Hashes a secret with a slow hash, for fields with the flag `hash`. */
  readonly hash: (secret: string) => Promise<string>;
  /** Rejects unknown members of payloads. */
  readonly strict?: boolean;
  /** Rejects numbers that their columns would round. */
  readonly exact?: boolean;
  /** The caller has confirmed changes of its own user with its password. */
  readonly confirmed?: boolean;
  /** The history for changes that a rule makes beyond the items of the write. */
  readonly history?: History;
  /**
   * The schema of the system tables, when subscribers may be notified of deletions; null: no
   * subscribers.
   */
  readonly listeners?: string | null;
  /** Members that the server adds to the payload's items, in the same order. */
  readonly given?: readonly Item[];
}

/** An item to change, and its new members. */
export interface ItemUpdate {
  readonly key: Key;
  readonly item: Item;
}

/** A pending change of existing items, which the rule may still reject. */
export interface PendingChange extends CompletedChange {
  readonly action: 'update' | 'delete';
}

/** A completed change, which the rule may still reject. */
export interface CompletedChange {
  readonly action: Action | 'delete';
  readonly keys: readonly Key[];
  /** The stored members of the written items, in key order; empty for a deletion. */
  readonly items: readonly Item[];
}

/**
 * The requirements of a collection beyond permissions. Each stage may reject the request by
 * throwing.
 */
export interface CollectionRule {
  /** The fields that requests may set, for every caller; null: every column. */
  readonly writable: ReadonlySet<string> | null;
  /** Runs before locks and permission checks. */
  begin?(write: WriteContext): Promise<void>;
  /** Checks the members of one item, presets included, and may change them. */
  refine?(write: WriteContext, action: Action, item: Item): Promise<Item>;
  /** Runs before locked items are changed or deleted. */
  before?(write: WriteContext, pending: PendingChange): Promise<void>;
  /** Runs after the rows were written. */
  after?(write: WriteContext, done: CompletedChange): Promise<void>;
}

/** The rule of collections without own requirements. */
export const NO_RULE: CollectionRule = Object.freeze({ writable: null });
