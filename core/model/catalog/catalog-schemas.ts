/** The database schemas of an installation. */

/** The served schemas in order, and the schema of the system tables. */
export interface CatalogSchemas {
  readonly schemas: readonly string[];
  readonly system: string;
}
