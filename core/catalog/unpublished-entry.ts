/** What is to be published, as it is handed from the one who found it to the one who writes it. */
import type { LeftOut } from './descriptor.ts';

/** What a collection is made from. */
export interface Origin {
  /** Oid of its table; null for a folder. */
  readonly relation: string | null;
  /** Of the table. */
  readonly stamp: string | null;
  /** Of the number of its rows. */
  readonly estimate: string | null;
  /** Stamp of its metadata; null without any. */
  readonly metadata: string | null;
}

/** A collection that is made from something else than when it was published. */
export interface Entry {
  readonly name: string;
  readonly origin: Origin;
  readonly digest: string;
  readonly descriptor: string;
  /** It is described as it was. */
  readonly same: boolean;
}

export interface Assembly {
  readonly entries: readonly Entry[];
  /** Collections that were published and are no more. */
  readonly gone: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** Something of this differs from what is published. */
  readonly changed: boolean;
  /** Collections that relations are recorded for and that are not served. */
  readonly orphans: readonly string[];
}
