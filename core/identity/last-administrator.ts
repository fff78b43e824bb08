/** One administrator must remain. */
import { AddressList } from '#core/access/address-list.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/system-table.ts';
import { administrators } from './administrators.ts';

/** Runs a statement in the transaction of a change. */
type Ask = <Row extends object>(statement: Sql) => Promise<readonly Row[]>;

/** Policies of administrators that hold at no address, and so do not count. */
async function barredPolicies(ask: Ask, schema: string): Promise<readonly string[]> {
  const rows = await ask<{ id: string; ip_access: string }>(sql`
    SELECT id::text, ip_access FROM ${systemTable(schema, 'policies')}
    WHERE admin_access AND ip_access IS NOT NULL`);
  return rows.flatMap(({ id, ip_access }) => (AddressList.of(ip_access).isEmpty ? [id] : []));
}

/**
 * Refuses a change after which no administrator is left. Changes are checked one after the other,
 * so that two of them cannot each rely on what the other removes.
 * @throws ServiceError UNPROCESSABLE_ENTITY
 */
export async function requireAdministrator(ask: Ask, schema: string): Promise<void> {
  const lock = `sluice administrators ${schema}`;
  await ask(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  const barred = await barredPolicies(ask, schema);
  const [found] = await ask<{ left: boolean }>(sql`${administrators(schema, barred)}
    SELECT EXISTS (SELECT FROM admins WHERE status = 'active') AS left`);
  if (found?.left === true) return;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    reason: 'The change would leave no active administrator.',
  });
}
