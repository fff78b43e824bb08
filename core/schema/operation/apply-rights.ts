/**
 * Applies differences of policies, roles and permissions, after those of the schema, with history.
 */
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { parseRow } from '#core/access/permission-row.ts';
import {
  requireAdministrator,
  requirePlainRegistration,
} from '#core/accounts/identity/last-administrator.ts';
import { placed, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { applyDifferences } from '../json-difference.ts';
import {
  type PermissionEntry,
  type PolicyEntry,
  permissionKey,
  presentParts,
  RIGHTS_ENTRIES,
  type RoleEntry,
  snapshotRights,
} from '../rights-snapshot.ts';
import type { Alteration, ChangedRow } from '../schema-change-context.ts';
import type { SchemaDiff } from '../snapshot-diff.ts';

type Change = SchemaDiff['collections'][number]['diff'];

/** An entry after its change; null when it is deleted. */
function changed<S extends v.GenericSchema>(
  schema: S,
  now: unknown,
  diff: Change,
  name: string,
): v.InferOutput<S> | null {
  const next = applyDifferences(now, diff);
  if (next === undefined) return null;
  const parsed = v.safeParse(schema, next);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]) ?? name;
  throw invalidPayload(reason('diff_rights_member_invalid', { path, name }));
}

/** The changed members of an entry; all members of a new one. */
function written<T extends object>(now: T | undefined, next: T): Record<string, unknown> {
  const before = new Map(Object.entries(now ?? {}));
  return Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => now === undefined || !isDeepStrictEqual(before.get(name), value),
    ),
  );
}

type Known = 'create' | 'update';

function actionOf(now: object | undefined): Known {
  return now === undefined ? 'create' : 'update';
}

const ACCESS_ROW = sql`RETURNING id::text AS id,
  json_build_object('role', role, 'policy', policy, 'sort', sort) AS delta`;
const GONE_ROW = sql`RETURNING id::text AS id, '{}'::json AS delta`;

async function writePolicy(
  { run, write, record, system }: Alteration,
  now: PolicyEntry | undefined,
  next: PolicyEntry,
): Promise<void> {
  const { public: isPublic, ...delta } = written(now, next);
  if (Object.keys(delta).length > 0) {
    await run(sql`
      INSERT INTO ${systemTable(system, 'policies')}
        (id, name, icon, description, ip_access, enforce_tfa, admin_access, app_access)
      VALUES (${next.id}, ${next.name}, ${next.icon}, ${next.description},
        ${next.ip_access}, ${next.enforce_tfa}, ${next.admin_access}, ${next.app_access})
      ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon = EXCLUDED.icon,
        description = EXCLUDED.description, ip_access = EXCLUDED.ip_access,
        enforce_tfa = EXCLUDED.enforce_tfa, admin_access = EXCLUDED.admin_access,
        app_access = EXCLUDED.app_access`);
    await record('system_policies', actionOf(now), [{ id: next.id, delta }]);
  }
  if (isPublic === undefined) return;
  const access = systemTable(system, 'access');
  const own = sql`policy = ${next.id} AND role IS NULL AND "user" IS NULL`;
  const rows = await write<ChangedRow>(
    next.public
      ? sql`INSERT INTO ${access} (policy)
          SELECT ${next.id}::uuid WHERE NOT EXISTS (SELECT FROM ${access} WHERE ${own})
          ${ACCESS_ROW}`
      : sql`DELETE FROM ${access} WHERE ${own} ${GONE_ROW}`,
  );
  await record('system_access', next.public ? 'create' : 'delete', rows);
}

/** A role before and after the change. */
interface RoleChange {
  readonly now: RoleEntry | undefined;
  readonly next: RoleEntry;
}

/** Assigns policies to a role, in their order. */
async function writeRolePolicies(
  { write, record, system }: Alteration,
  { id, policies }: RoleEntry,
): Promise<void> {
  const access = systemTable(system, 'access');
  const gone = await write<ChangedRow>(
    sql`DELETE FROM ${access} WHERE role = ${id} AND "user" IS NULL ${GONE_ROW}`,
  );
  await record('system_access', 'delete', gone);
  if (policies.length === 0) return;
  const made = await write<ChangedRow>(sql`
    INSERT INTO ${access} (role, policy, sort)
    SELECT ${id}::uuid, policy, sort
    FROM unnest(${policies}::uuid[]) WITH ORDINALITY AS list (policy, sort) ${ACCESS_ROW}`);
  await record('system_access', 'create', made);
}

/** Writes roles; roles with a parent are updated after all roles exist. */
async function writeRoles(alteration: Alteration, roles: readonly RoleChange[]): Promise<void> {
  const { run, record, system } = alteration;
  const table = systemTable(system, 'roles');
  for (const { next } of roles) {
    await run(sql`
      INSERT INTO ${table} (id, name, icon, description)
      VALUES (${next.id}, ${next.name}, ${next.icon}, ${next.description})
      ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, icon = EXCLUDED.icon,
        description = EXCLUDED.description`);
  }
  for (const { now, next } of roles) {
    const { id, parent } = next;
    await run(sql`UPDATE ${table} SET parent = ${parent}::uuid WHERE id = ${id}`);
    const { policies, ...delta } = written(now, next);
    if (Object.keys(delta).length > 0) {
      await record('system_roles', actionOf(now), [{ id, delta }]);
    }
    if (policies !== undefined) await writeRolePolicies(alteration, next);
  }
}

function storedJson(value: object | null): Sql {
  return sql`${value === null ? null : JSON.stringify(value)}::json`;
}

/** @throws ServiceError INVALID_PAYLOAD for a permission without effect */
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
    if (parsed === null) throw invalidPayload(reason('action_without_rule', { place }));
    if (fault !== undefined) {
      throw invalidPayload(placed(`"${fault.place}" of ${place}: `, fault.reason));
    }
  }
}

type PermissionName = Omit<PermissionEntry, 'rules'>;

async function writePermission(
  { write, record, system }: Alteration,
  { policy, collection, action }: PermissionName,
  rules: PermissionEntry['rules'],
): Promise<void> {
  const table = systemTable(system, 'permissions');
  const gone = await write<ChangedRow>(sql`DELETE FROM ${table}
    WHERE policy = ${policy} AND collection = ${collection} AND action = ${action} ${GONE_ROW}`);
  await record('system_permissions', 'delete', gone);
  for (const rule of rules) {
    const { permissions, validation, presets, fields } = rule;
    const made = await write<{ id: string }>(sql`
      INSERT INTO ${table}
        (policy, collection, action, permissions, validation, presets, fields)
      VALUES (${policy}, ${collection}, ${action}, ${storedJson(permissions)},
        ${storedJson(validation)}, ${storedJson(presets)}, ${fields})
      RETURNING id::text AS id`);
    const delta = { policy, collection, action, ...rule };
    const rows = made.map(({ id }) => ({ id, delta }));
    await record('system_permissions', 'create', rows);
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
  const why = reason('named_role_above_itself', { name: circle.name });
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
}

/**
 * @throws ServiceError INVALID_PAYLOAD for an invalid policy, role or permission;
 *   UNPROCESSABLE_ENTITY when no administrator would remain, or all registering users would become
 *   administrators
 */
export async function applyRights(alteration: Alteration, diff: SchemaDiff): Promise<void> {
  const parts = presentParts(diff);
  if (parts.length === 0) return;
  const { ask, system } = alteration;
  const now = await snapshotRights(ask, system, parts);
  const policies = new Map(now.policies?.map((entry) => [entry.id, entry]));
  const roles = new Map(now.roles?.map((entry) => [entry.id, entry]));
  const permissions = new Map(now.permissions?.map((entry) => [permissionKey(entry), entry]));
  for (const { policy, diff: change } of diff.policies ?? []) {
    const current = policies.get(policy);
    const next = changed(RIGHTS_ENTRIES.policies, current, change, 'a policy');
    if (next === null) throw invalidPayload(reason('diff_deletes_policy'));
    await writePolicy(alteration, current, next);
  }
  const wanted = (diff.roles ?? []).map(({ role, diff: change }) => {
    const current = roles.get(role);
    const next = changed(RIGHTS_ENTRIES.roles, current, change, 'a role');
    if (next === null) throw invalidPayload(reason('diff_deletes_role'));
    return { now: current, next };
  });
  await writeRoles(alteration, wanted);
  for (const { diff: change, ...name } of diff.permissions ?? []) {
    const current = permissions.get(permissionKey(name));
    const next = changed(RIGHTS_ENTRIES.permissions, current, change, 'a permission');
    if (next !== null) checkPermission(next);
    if (isDeepStrictEqual(current?.rules ?? [], next?.rules ?? [])) continue;
    await writePermission(alteration, next ?? name, next?.rules ?? []);
  }
  await refuseCircles(alteration);
  await requireAdministrator(ask, system);
  await requirePlainRegistration(ask, system);
}
