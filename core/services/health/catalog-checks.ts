/** The health of this process's catalog: its version, and problems that the operator should fix. */

import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import { quote } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';

/** For smaller tables a scan is faster than an index. */
const SMALL_TABLE = 1_000;

/** Foreign keys without an index that nested reads need, with the statement that creates it. */
function missingIndexes(catalog: Catalog): HealthCheck[] {
  const checks = new Map<string, HealthCheck>();
  for (const relation of [...catalog.relations.values()].flatMap((map) => [...map.values()])) {
    if (relation.kind === 'm2o' || relation.kind === 'a2o' || relation.indexed) continue;
    const table = catalog.collections.get(relation.many.collection)?.table;
    if (!table || table.kind.includes('view') || table.estimatedRows < SMALL_TABLE) continue;
    const columns = relation.many.columns.map(quote).join(', ');
    const statement = `CREATE INDEX CONCURRENTLY ON ${quote(table.schema)}.${quote(table.name)} (${columns});`;
    checks.set(statement, {
      status: 'warn',
      componentType: 'datastore',
      observedValue: `${relation.collection}.${relation.field}`,
      output: `Reading it scans the whole table. ${statement}`,
    });
  }
  return [...checks.values()];
}

/** Checks without a finding are omitted. */
export function catalogChecks(catalog: CatalogSource): HealthChecks {
  const { version, leftOut, warnings, error, stale } = catalog.status();
  const component = { componentType: 'component' } as const;
  const checks: Record<string, readonly HealthCheck[]> = {
    'catalog:version': [
      {
        ...component,
        status: error !== null || stale ? 'warn' : 'ok',
        observedValue: version,
        ...(error === null ? {} : { output: `An earlier catalog is still used: ${error}` }),
      },
    ],
    'catalog:leftOut': leftOut.map((entry) => ({
      ...component,
      status: 'ok',
      observedValue: `${entry.schema}.${entry.name}`,
      output: entry.reason,
    })),
    'catalog:metadata': warnings.map((output) => ({ ...component, status: 'ok', output })),
    'catalog:indexes': missingIndexes(catalog.current()),
  };
  return Object.fromEntries(Object.entries(checks).filter(([, entries]) => entries.length > 0));
}
