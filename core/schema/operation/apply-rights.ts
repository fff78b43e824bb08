/** Applies differences of policies, roles and permissions, after those of the schema. */
import * as v from 'valibot';
import { parseRow } from '#core/access/permission-row.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import {
  requireAdministrator,
  requirePlainRegistration,
} from '#core/identity/last-administrator.ts';
import { systemTable } from '#core/system/system-table.ts';
import { patched } from '../json-difference.ts';
import {
  type PermissionEntry,
  type PolicyEntry,
  partsOf,
  permissionKey,
  RIGHTS_ENTRIES,
  type RoleEntry,
  takeRights,
} from '../rights-snapshot.ts';
import type { Alteration } from '../schema-change-context.ts';
import type { SchemaDiff } from '../snapshot-diff.ts';

type Change = SchemaDiff['collections'][number]['diff'];

/** An entry after its change; null when it goes. */
function changed<S extends v.GenericSchema>(
  schema: S,
  now: unknown,
  diff: Change,
  name: string,
): v.InferOutput<S> | null {
  const next = patched(now, diff);
  if (next === undefined) return null;
  const parsed = v.safeParse(schema, next);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]) ?? name;
  throw invalidPayload(`"${path}" of ${name} is not as expected.`);
}

async function writePolicy({ run, system }: Alteration, policy: PolicyEntry): Promise<void> {
  const access = systemTable(system, 'access');
  await run(sql`
    INSERT INTO ${systemTable(system, 'policies')}
      (id, name, icon, description, ip_access, enforce_tfa, admin_access, app_access)
    VALUES (${policy.id}, ${policy.name}, ${policy.icon}, ${policy.description},
      ${policy.ip_access}, ${policy.enforce_tfa}, ${policy.admin_access}, ${policy.app_access})
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon = EXCLUDED.icon,
      description = EXCLUDED.description, ip_access = EXCLUDED.ip_access,
      enforce_tfa = EXCLUDED.enforce_tfa, admin_access = EXCLUDED.admin_access,
      app_access = EXCLUDED.app_access`);
  const own = sql`policy = ${policy.id} AND role IS NULL AND "user" IS NULL`;
  await run(
    policy.public
      ? sql`INSERT INTO ${access} (policy)
          SELECT ${policy.id}::uuid WHERE NOT EXISTS (SELECT FROM ${access} WHERE ${own})`
      : sql`DELETE FROM ${access} WHERE ${own}`,
  );
}

/** Writes roles, those that have a parent after all are there. */
async function writeRoles({ run, system }: Alteration, roles: readonly RoleEntry[]): Promise<void> {
  const [table, access] = [systemTable(system, 'roles'), systemTable(system, 'access')];
  for (const { id, name, icon, description } of roles) {
    await run(sql`
      INSERT INTO ${table} (id, name, icon, description)
      VALUES (${id}, ${name}, ${icon}, ${description})
      ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon = EXCLUDED.icon,
        description = EXCLUDED.description`);
  }
  for (const { id, parent, policies } of roles) {
    await run(sql`UPDATE ${table} SET parent = ${parent}::uuid WHERE id = ${id}`);
    await run(sql`DELETE FROM ${access} WHERE role = ${id} AND "user" IS NULL`);
    if (policies.length === 0) continue;
    await run(sql`
      INSERT INTO ${access} (role, policy, sort)
      SELECT ${id}::uuid, policy, sort
      FROM unnest(${policies}::uuid[]) WITH ORDINALITY AS list (policy, sort)`);
  }
}

function storedJson(value: object | null): Sql {
  return sql`${value === null ? null : JSON.stringify(value)}::json`;
}

/** @throws ServiceError INVALID_PAYLOAD for a permission that would grant nothing */
function checkPermission(entry: PermissionEntry): void {
  const { collection, action } = entry;
  const textOf = (value: object | null) => (value === null ? null : JSON.stringify(value));
  for (const { permissions, validation, presets, fields } of entry.rules) {
    const parsed = parseRow({
      ...{ collection, action, fields, permissions: textOf(permissions) },
      ...{ validation: textOf(validation), presets: textOf(presets) },
    });
    const [fault] = parsed?.faults ?? [];
    const place = `the permission to ${action} ${collection}`;
    if (parsed === null) throw invalidPayload(`There is no action for ${place}.`);
    if (fault !== undefined) throw invalidPayload(`"${fault.place}" of ${place}: ${fault.reason}`);
  }
}

type PermissionName = Omit<PermissionEntry, 'rules'>;

async function writePermission(
  { run, system }: Alteration,
  { policy, collection, action }: PermissionName,
  rules: PermissionEntry['rules'],
): Promise<void> {
  const table = systemTable(system, 'permissions');
  await run(sql`DELETE FROM ${table}
    WHERE policy = ${policy} AND collection = ${collection} AND action = ${action}`);
  for (const { permissions, validation, presets, fields } of rules) {
    await run(sql`
      INSERT INTO ${table}
        (policy, collection, action, permissions, validation, presets, fields)
      VALUES (${policy}, ${collection}, ${action}, ${storedJson(permissions)},
        ${storedJson(validation)}, ${storedJson(presets)}, ${fields})`);
  }
}

/** @throws ServiceError UNPROCESSABLE_ENTITY for roles that are their own ancestors */
async function refuseCircles({ ask, system }: Alteration): Promise<void> {
  const roles = systemTable(system, 'roles');
  const [circle] = await ask<{ name: string }>(sql`
    WITH RECURSIVE above AS (
      SELECT id, parent, ARRAY[id] AS path FROM ${roles}
      UNION ALL
      SELECT above.id, r.parent, above.path || r.id FROM above JOIN ${roles} AS r
        ON r.id = above.parent WHERE r.id <> ALL (above.path)
    )
    SELECT r.name FROM above JOIN ${roles} AS r ON r.id = above.id
    WHERE above.parent = above.id LIMIT 1`);
  if (circle === undefined) return;
  const reason = `The role ${circle.name} would be its own ancestor.`;
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason });
}

/**
 * @throws ServiceError INVALID_PAYLOAD for what is not a policy, a role or a permission;
 *   UNPROCESSABLE_ENTITY when no administrator would be left, or all who register would be ones
 */
export async function applyRights(alteration: Alteration, diff: SchemaDiff): Promise<void> {
  const parts = partsOf(diff);
  if (parts.length === 0) return;
  const { ask, system } = alteration;
  const now = await takeRights(ask, system, parts);
  const policies = new Map(now.policies?.map((entry) => [entry.id, entry]));
  const roles = new Map(now.roles?.map((entry) => [entry.id, entry]));
  const permissions = new Map(now.permissions?.map((entry) => [permissionKey(entry), entry]));
  for (const { policy, diff: change } of diff.policies ?? []) {
    const next = changed(RIGHTS_ENTRIES.policies, policies.get(policy), change, 'a policy');
    if (next === null) throw invalidPayload('A diff deletes no policies.');
    await writePolicy(alteration, next);
  }
  const wanted = (diff.roles ?? []).map(({ role, diff: change }) => {
    const next = changed(RIGHTS_ENTRIES.roles, roles.get(role), change, 'a role');
    if (next === null) throw invalidPayload('A diff deletes no roles.');
    return next;
  });
  await writeRoles(alteration, wanted);
  for (const { diff: change, ...name } of diff.permissions ?? []) {
    const current = permissions.get(permissionKey(name));
    const next = changed(RIGHTS_ENTRIES.permissions, current, change, 'a permission');
    if (next !== null) checkPermission(next);
    await writePermission(alteration, next ?? name, next?.rules ?? []);
  }
  await refuseCircles(alteration);
  await requireAdministrator(ask, system);
  await requirePlainRegistration(ask, system);
}
