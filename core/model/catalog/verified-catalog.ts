/**
 * The catalog for work on one table that must match its current state. The system catalog rows of
 * this table show whether it has changed; only then the whole database is compared.
 */
import type { Client } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogSource } from './catalog-source.ts';
import { STAMP } from './database-stamp.ts';

/** The name of the prepared statement: planning takes longer than running it. */
const STATEMENT = 'sluice table stamp';

/**
 * A text that changes with the description of a table: its columns with their types, defaults,
 * keys, constraints and triggers, the privilege to use it, all metadata, and the published version.
 */
function stampOf(system: string, schema: string, name: string): Sql {
  const rows = (catalog: Sql, owner: Sql) =>
    sql`(SELECT ${STAMP} FROM ${catalog} x WHERE x.${owner} = r.oid)`;
  const types = sql`(SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE a.attrelid = r.oid)`;
  return sql`SELECT concat_ws(' ', r.oid, r.xmin, n.xmin,
      ${rows(sql`pg_catalog.pg_attribute`, sql`attrelid`)},
      ${rows(sql`pg_catalog.pg_attrdef`, sql`adrelid`)},
      ${rows(sql`pg_catalog.pg_index`, sql`indrelid`)},
      ${rows(sql`pg_catalog.pg_constraint`, sql`conrelid`)},
      ${rows(sql`pg_catalog.pg_trigger`, sql`tgrelid`)},
      (SELECT ${STAMP} FROM pg_catalog.pg_type x WHERE x.oid IN ${types}),
      (SELECT ${STAMP} FROM pg_catalog.pg_enum x WHERE x.enumtypid IN ${types}),
      (SELECT ${STAMP} FROM pg_catalog.pg_constraint x WHERE x.contypid IN ${types}),
      (SELECT ${STAMP} FROM pg_catalog.pg_auth_members x),
      (SELECT string_agg(s.version::text, ' ' ORDER BY s.name)
        FROM ${systemTable(system, 'state')} s WHERE s.name IN ('catalog', 'metadata'))) AS stamp
    FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
    WHERE n.nspname = ${schema}::name AND r.relname = ${name}::name`;
}

export class VerifiedCatalog {
  readonly #source: CatalogSource;
  readonly #system: string;
  /** The stamps for which a catalog is known to be correct, by collection. */
  readonly #known = new WeakMap<Catalog, Map<string, string>>();

  /** @param system the schema of the system tables */
  constructor(source: CatalogSource, system: string) {
    this.#source = source;
    this.#system = system;
  }

  /**
   * A catalog that matches the current state of a collection's table.
   * @throws when the database is not available
   */
  async with(client: Client, collection: string): Promise<Catalog> {
    const source = this.#source;
    const current = source.current();
    const stamp = await this.#stamp(client, current, collection);
    if (stamp !== null && this.#known.get(current)?.get(collection) === stamp) return current;
    const fresh = await source.refresh();
    // The comparison began after the stamp was read, so later changes yield another stamp.
    if (stamp !== null && source.status().settled) {
      const stamps = this.#known.get(fresh) ?? new Map<string, string>();
      this.#known.set(fresh, stamps.set(collection, stamp));
    }
    return fresh;
  }

  async #stamp(client: Client, { collections }: Catalog, name: string): Promise<string | null> {
    const table = collections.get(name)?.table ?? null;
    if (table === null) return null;
    const statement = render(stampOf(this.#system, table.schema, table.name));
    const { rows } = await client.query<{ stamp: string }>({ ...statement, name: STATEMENT });
    return rows[0]?.stamp ?? null;
  }
}
