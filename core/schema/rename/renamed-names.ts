/** The names of fields and collections before a rename, with their names after it. */
import type { Catalog } from '#core/model/catalog/catalog.ts';

/** A field that gets another name; `collection` is the name of its collection before the rename. */
export interface RenamedField {
  readonly collection: string;
  readonly field: string;
  readonly to: string;
}

export interface RenamedCollection {
  readonly collection: string;
  readonly to: string;
}

/** All names that one change replaces. Names that stay are returned as they are. */
export class RenamedNames {
  /** The catalog before the rename. */
  readonly catalog: Catalog;
  readonly renamedCollection: RenamedCollection | null;
  readonly fields: readonly RenamedField[];
  readonly #byCollection: ReadonlyMap<string, ReadonlyMap<string, string>>;

  constructor(
    catalog: Catalog,
    fields: readonly RenamedField[],
    renamedCollection: RenamedCollection | null = null,
  ) {
    this.catalog = catalog;
    this.fields = fields;
    this.renamedCollection = renamedCollection;
    this.#byCollection = new Map(
      [...Map.groupBy(fields, ({ collection }) => collection)].map(([collection, renamed]) => [
        collection,
        new Map(renamed.map(({ field, to }) => [field, to])),
      ]),
    );
  }

  collection(name: string): string {
    const { renamedCollection: renamed } = this;
    return name === renamed?.collection ? renamed.to : name;
  }

  /** @param collection the name of its collection before the rename */
  field(collection: string, name: string): string {
    return this.#byCollection.get(collection)?.get(name) ?? name;
  }
}
