/** One request to write, as it goes through its stages inside a transaction. */
import type { Rights } from '#core/access/rights.ts';
import type { Client } from '#core/database/pool.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import type { History } from './history/history.ts';
import type { Action, Item } from './payload.ts';

/** Something is looked up for a write that was prepared without a connection. */
export class LookupNeededError extends Error {
  constructor() {
    super('A write that is done at once needs something to be looked up.');
    this.name = 'LookupNeededError';
  }
}

/** In place of a connection while none is taken. */
export const NO_CONNECTION: Client = Object.freeze({
  query: () => {
    throw new LookupNeededError();
  },
});

/** Who writes where: the catalog and the rights that count. */
export interface WriteTarget extends ReadTarget {
  readonly rights: Rights;
}

/** A write that has begun. */
export interface WriteContext {
  readonly target: WriteTarget;
  readonly collection: Collection;
  /** Inside the transaction. */
  readonly client: Client;
  /** The time that generated values and `$NOW` stand for. */
  readonly now: Date;
  /** What the collection demands beyond permissions. */
  readonly rule: CollectionRule;
  /** Hashes a secret in the slow way, for fields with the flag `hash`. */
  readonly hash: (secret: string) => Promise<string>;
  /** Members of payloads that nobody knows are refused. */
  readonly strict?: boolean;
  /** Numbers that their columns would not give back as they are written are refused. */
  readonly exact?: boolean;
  /** The caller has confirmed with its password what it changes of its own user. */
  readonly confirmed?: boolean;
  /** For what a rule changes beside the items of the write itself. */
  readonly history?: History;
  /** The schema of the system tables where subscribers may hear of what is deleted; null: nobody. */
  readonly listeners?: string | null;
  /** Members that the server itself gives to the items of the payload, in step with them. */
  readonly given?: readonly Item[];
}

/** An item that is to be changed, and its new members. */
export interface ItemUpdate {
  readonly key: Key;
  readonly item: Item;
}

/** What is about to be done to items that are there, for the rule that may still refuse it. */
export interface PendingChange extends CompletedChange {
  readonly action: 'update' | 'delete';
}

/** What was done, for the rule that has the last word. */
export interface CompletedChange {
  readonly action: Action | 'delete';
  readonly keys: readonly Key[];
  /** What was written, as it is stored, in step with the keys; nothing for a deletion. */
  readonly items: readonly Item[];
}

/** What a collection demands beyond permissions. Each stage may refuse the request by throwing. */
export interface CollectionRule {
  /** The fields that requests may give values to, whoever sends them; null: every column. */
  readonly writable: ReadonlySet<string> | null;
  /** Before anything is locked or judged. */
  begin?(write: WriteContext): Promise<void>;
  /** Checks the members of one item, presets included, and may change them. */
  refine?(write: WriteContext, action: Action, item: Item): Promise<Item>;
  /** Before items that are locked are changed or deleted. */
  before?(write: WriteContext, pending: PendingChange): Promise<void>;
  /** After the rows were written. */
  after?(write: WriteContext, done: CompletedChange): Promise<void>;
}

/** The rule of collections that have none. */
export const NO_RULE: CollectionRule = Object.freeze({ writable: null });
