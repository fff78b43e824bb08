/** Checks changes of administrators: one must remain, and self-registration must not create one. */
import { AddressList } from '#core/access/address-list.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { administrators } from './administrators.ts';

/** Runs a statement in the transaction of a change. */
type Ask = <Row extends object>(statement: Sql) => Promise<readonly Row[]>;

/** Policies of administrators that apply at no address, and are therefore ignored. */
async function barredPolicies(ask: Ask, schema: string): Promise<readonly string[]> {
  const rows = await ask<{ id: string; ip_access: string }>(sql`
    SELECT id::text, ip_access FROM ${systemTable(schema, 'policies')}
    WHERE admin_access AND ip_access IS NOT NULL`);
  return rows.flatMap(({ id, ip_access }) => (AddressList.of(ip_access).isEmpty ? [id] : []));
}

/**
 * Serializes the checks, so that two concurrent changes cannot each rely on the data that the other
 * changes.
 */
async function takeTurn(ask: Ask, schema: string): Promise<void> {
  const lock = `sluice administrators ${schema}`;
  await ask(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/**
 * Refuses a change after which no administrator remains.
 * @throws ServiceError UNPROCESSABLE_ENTITY
 */
export async function requireAdministrator(ask: Ask, schema: string): Promise<void> {
  await takeTurn(ask, schema);
  const barred = await barredPolicies(ask, schema);
  const [found] = await ask<{ left: boolean }>(sql`${administrators(schema, barred)}
    SELECT EXISTS (SELECT FROM admins WHERE status = 'active') AS left`);
  if (found?.left === true) return;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    reason: reason('last_administrator'),
  });
}

/**
 * Refuses a change that makes all registering users administrators. It may affect the role of
 * self-registration, its parent roles, or their policies.
 * @throws ServiceError UNPROCESSABLE_ENTITY
 */
export async function requirePlainRegistration(ask: Ask, schema: string): Promise<void> {
  await takeTurn(ask, schema);
  const [found] = await ask(sql`${administrators(schema)}
    SELECT id FROM admin_roles WHERE id IN (
      SELECT public_registration_role FROM ${systemTable(schema, 'settings')})`);
  if (found === undefined) return;
  const why = reason('registration_of_administrators');
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
}
