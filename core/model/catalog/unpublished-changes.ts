/** The TypeScript types that describe unpublished changes. */
import type { UnservedTable } from './descriptor.ts';

/** The origin of a collection's description. */
export interface CollectionOrigin {
  /** Oid of its table; null for a folder. */
  readonly relation: string | null;
  /** The stamp of the table. */
  readonly stamp: string | null;
  /** The stamp of its row estimate. */
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
  /**
   * Names of tables that change meanwhile: their published state stays until the next comparison.
   */
  readonly moving: ReadonlySet<string>;
}
