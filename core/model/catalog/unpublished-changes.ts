/** The types of what is about to be published. */
import type { UnservedTable } from './descriptor.ts';

/** What a collection is made from. */
export interface CollectionOrigin {
  /** Oid of its table; null for a folder. */
  readonly relation: string | null;
  /** Of the table. */
  readonly stamp: string | null;
  /** Of the number of its rows. */
  readonly estimate: string | null;
  /** Stamp of its metadata; null without any. */
  readonly metadata: string | null;
}

/** A collection that differs from its published version. */
export interface ChangedCollection {
  readonly name: string;
  readonly origin: CollectionOrigin;
  readonly digest: string;
  readonly descriptor: string;
  /** Its description is the same. */
  readonly same: boolean;
}

export interface UnpublishedChanges {
  readonly entries: readonly ChangedCollection[];
  /** Published collections that no longer exist. */
  readonly gone: readonly string[];
  readonly leftOut: readonly UnservedTable[];
  /** Something differs from the published catalog. */
  readonly changed: boolean;
  /** Collections with recorded relations that are not served. */
  readonly orphans: readonly string[];
  /** Names of tables that change meanwhile: what is published of them stays until the next comparison. */
  readonly moving: ReadonlySet<string>;
}
