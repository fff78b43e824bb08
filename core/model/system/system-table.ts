/** Names of Sluice's own tables: `system_<name>` in the first schema of `DATABASE_SCHEMA`. */
import type { Config } from '#core/base/config/variables.ts';
import { identifier, type Sql } from '#core/database/sql.ts';

/** The schema that holds the system tables. */
export function systemSchema(config: Pick<Config, 'DATABASE_SCHEMA'>): string {
  return config.DATABASE_SCHEMA[0] ?? 'public';
}

/** The qualified name of a system table: `systemTable('public', 'jobs')` is `"public"."system_jobs"`. */
export function systemTable(schema: string, name: string): Sql {
  return identifier(schema, `system_${name}`);
}
