/** Where an installation stands in its database. */

/** The served schemas in their order, and the one of the system tables. */
export interface CatalogSchemas {
  readonly schemas: readonly string[];
  readonly system: string;
}
