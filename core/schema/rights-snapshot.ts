/**
 * Policies, roles and permissions in a snapshot. Policies and roles are identified by their keys,
 * which are the same in all installations that share a snapshot. A permission is identified by its
 * policy, collection and action. Users are never included.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery } from '#core/base/errors/service-error.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { type Difference, difference, differences } from './json-difference.ts';

/** The optional parts of a snapshot besides the schema. */
export const RIGHTS_PARTS = ['policies', 'roles', 'permissions'] as const;
export type RightsPart = (typeof RIGHTS_PARTS)[number];

const key = v.pipe(v.string(), v.uuid());
const text = v.nullable(v.string());
const json = v.nullable(v.union([v.record(v.string(), v.unknown()), v.array(v.unknown())]));

const policy = v.strictObject({
  id: key,
  ...{ name: v.string(), icon: v.string(), description: text, ip_access: text },
  ...{ enforce_tfa: v.boolean(), admin_access: v.boolean(), app_access: v.boolean() },
  /** The policy applies to all callers without a role. */
  public: v.boolean(),
});

const role = v.strictObject({
  id: key,
  ...{ name: v.string(), icon: v.string(), description: text, parent: v.nullable(key) },
  /** In their order. */
  policies: v.array(key),
});

/** All permissions of a policy for one action on one collection. */
const permission = v.strictObject({
  ...{ policy: key, collection: v.string(), action: v.string() },
  rules: v.array(
    v.strictObject({ permissions: json, validation: json, presets: json, fields: text }),
  ),
});

/** The shapes of the entries; the lists of a snapshot and of a diff are optional. */
export const RIGHTS_ENTRIES = { policies: policy, roles: role, permissions: permission } as const;

export type PolicyEntry = v.InferOutput<typeof policy>;
export type RoleEntry = v.InferOutput<typeof role>;
export type PermissionEntry = v.InferOutput<typeof permission>;

/** The parts that a snapshot has. */
export interface RightsSnapshot {
  readonly policies?: readonly PolicyEntry[] | undefined;
  readonly roles?: readonly RoleEntry[] | undefined;
  readonly permissions?: readonly PermissionEntry[] | undefined;
}

/** Members of the input of a snapshot. */
export const rightsInput = {
  policies: v.optional(v.array(policy)),
  roles: v.optional(v.array(role)),
  permissions: v.optional(v.array(permission)),
};

const changes = v.array(difference);
const triple = { policy: v.string(), collection: v.string(), action: v.string() };

/** Members of a diff. */
export const rightsDiff = {
  policies: v.optional(v.array(v.strictObject({ policy: v.string(), diff: changes }))),
  roles: v.optional(v.array(v.strictObject({ role: v.string(), diff: changes }))),
  permissions: v.optional(v.array(v.strictObject({ ...triple, diff: changes }))),
};

/** Differences of permissions, each part only when it differs. */
export interface FoundRightsDiff {
  readonly policies?: readonly { policy: string; diff: Difference[] }[];
  readonly roles?: readonly { role: string; diff: Difference[] }[];
  readonly permissions?: readonly {
    policy: string;
    collection: string;
    action: string;
    diff: Difference[];
  }[];
}

/** @throws ServiceError INVALID_QUERY for an unknown part */
export function parseRightsParts(names: readonly string[]): RightsPart[] {
  const unknown = names.find((name) => !RIGHTS_PARTS.some((part) => part === name));
  if (unknown !== undefined) {
    throw invalidQuery(
      reason('snapshot_part_unknown', { parts: RIGHTS_PARTS.join(', '), unknown }),
    );
  }
  return RIGHTS_PARTS.filter((part) => names.includes(part));
}

/** Reads rows. */
export type QueryRows = <Row extends object>(query: Sql) => Promise<readonly Row[]>;

function readPolicies(ask: QueryRows, system: string) {
  return ask<PolicyEntry>(sql`
    SELECT id::text, name, icon, description, ip_access, enforce_tfa, admin_access, app_access,
      EXISTS (SELECT FROM ${systemTable(system, 'access')} AS a
        WHERE a.policy = p.id AND a.role IS NULL AND a."user" IS NULL) AS public
    FROM ${systemTable(system, 'policies')} AS p ORDER BY id`);
}

function readRoles(ask: QueryRows, system: string) {
  return ask<RoleEntry>(sql`
    SELECT id::text, name, icon, description, parent::text,
      ARRAY(SELECT a.policy::text FROM ${systemTable(system, 'access')} AS a
        WHERE a.role = r.id AND a."user" IS NULL ORDER BY a.sort, a.id) AS policies
    FROM ${systemTable(system, 'roles')} AS r ORDER BY id`);
}

function readPermissions(ask: QueryRows, system: string) {
  return ask<PermissionEntry>(sql`
    SELECT policy::text, collection, action, json_agg(json_build_object(
      'permissions', permissions, 'validation', validation, 'presets', presets, 'fields', fields
      ) ORDER BY id) AS rules
    FROM ${systemTable(system, 'permissions')}
    GROUP BY policy, collection, action ORDER BY policy, collection, action`);
}

/** The policies, roles and permissions of this installation. */
export async function snapshotRights(
  ask: QueryRows,
  system: string,
  parts: readonly RightsPart[],
): Promise<RightsSnapshot> {
  return {
    ...(parts.includes('policies') ? { policies: await readPolicies(ask, system) } : {}),
    ...(parts.includes('roles') ? { roles: await readRoles(ask, system) } : {}),
    ...(parts.includes('permissions') ? { permissions: await readPermissions(ask, system) } : {}),
  };
}

/** The parts that a snapshot or a diff has. */
export function presentParts(given: { readonly [part in RightsPart]?: unknown }): RightsPart[] {
  return RIGHTS_PARTS.filter((part) => given[part] !== undefined);
}

export function permissionKey(entry: Omit<PermissionEntry, 'rules'>): string {
  return JSON.stringify([entry.policy, entry.collection, entry.action]);
}

function uniqueBy<T>(list: readonly T[], keyOf: (entry: T) => string): Map<string, T> {
  const found = new Map(list.map((entry) => [keyOf(entry), entry]));
  if (found.size === list.length) return found;
  throw invalidPayload(reason('rights_listed_twice'));
}

/** Differences of the entries that a snapshot contains. */
function compared<T extends object>(
  now: readonly T[] = [],
  next: readonly T[],
  keyOf: (entry: T) => string,
): { entry: T; diff: Difference[] }[] {
  const before = uniqueBy(now, keyOf);
  return [...uniqueBy(next, keyOf)].flatMap(([name, entry]) => {
    const current = before.get(name);
    const diff: Difference[] =
      current === undefined ? [{ kind: 'N', rhs: entry }] : differences(current, entry);
    return diff.length === 0 ? [] : [{ entry, diff }];
  });
}

/** With `merge` a role retains its existing policies. */
function mergedRoles(now: readonly RoleEntry[] = [], next: readonly RoleEntry[]): RoleEntry[] {
  const before = new Map(now.map((role) => [role.id, role]));
  return next.map((role) => {
    const known = before.get(role.id)?.policies ?? [];
    return { ...role, policies: [...new Set([...role.policies, ...known])] };
  });
}

/** Permissions of the snapshot's policies that the snapshot does not contain. */
function surplus(now: RightsSnapshot, next: RightsSnapshot): PermissionEntry[] {
  const wanted = new Set((next.permissions ?? []).map(permissionKey));
  const policies = new Set([
    ...(next.policies ?? []).map(({ id }) => id),
    ...(next.permissions ?? []).map(({ policy: id }) => id),
  ]);
  return (now.permissions ?? []).filter(
    (entry) => policies.has(entry.policy) && !wanted.has(permissionKey(entry)),
  );
}

/**
 * The differences to a snapshot. Policies and roles that it does not contain remain, because users
 * may have them. Permissions of its policies that it does not contain are deleted, unless it is
 * merged.
 * @throws ServiceError INVALID_PAYLOAD for an entry that is listed twice
 */
export function diffRights(
  now: RightsSnapshot,
  next: RightsSnapshot,
  mode: 'mirror' | 'merge',
): FoundRightsDiff {
  const wantedRoles = next.roles ?? [];
  const policies = compared(now.policies, next.policies ?? [], ({ id }) => id);
  const roles = compared(
    now.roles,
    mode === 'merge' ? mergedRoles(now.roles, wantedRoles) : wantedRoles,
    ({ id }) => id,
  );
  const gone = mode === 'merge' || next.permissions === undefined ? [] : surplus(now, next);
  const permissions = [
    ...compared(now.permissions, next.permissions ?? [], permissionKey),
    ...gone.map((entry) => ({ entry, diff: [{ kind: 'D', lhs: entry } as const] })),
  ].map(({ entry: { policy: id, collection, action }, diff }) => ({
    ...{ policy: id, collection, action, diff },
  }));
  return {
    ...(policies.length === 0
      ? {}
      : { policies: policies.map(({ entry, diff }) => ({ policy: entry.id, diff })) }),
    ...(roles.length === 0
      ? {}
      : { roles: roles.map(({ entry, diff }) => ({ role: entry.id, diff })) }),
    ...(permissions.length === 0 ? {} : { permissions }),
  };
}
