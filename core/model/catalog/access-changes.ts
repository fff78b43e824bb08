/**
 * Lists the changes of users, permissions and sessions between two reads of the counters, so that
 * caches discard only these.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';

/** Changed keys by kind. */
export interface AccessChanges {
  readonly users: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
  /** Policies with other changes than their permissions. */
  readonly policies: ReadonlySet<string>;
  /** Policies whose permissions changed. */
  readonly permissions: ReadonlySet<string>;
  /** Sessions that ended early. */
  readonly sessions: ReadonlySet<string>;
  /** The public policies changed. */
  readonly public: boolean;
}

/** A row of `system_access_changes` or `system_session_ends`: version, kind and key. */
export type ChangeRow = readonly [version: number, kind: string, key: string | null];

/** More changes are not listed one by one. */
const MOST = 5_000;

/** An SQL expression for the rows after version `heard`, up to `version`. */
export function accessRows(system: string, heard: number | null, version: Sql): Sql {
  return rows(sql`c.kind, c.key`, systemTable(system, 'access_changes'), heard, version);
}

/** The same for ended sessions. */
export function sessionRows(system: string, heard: number | null, version: Sql): Sql {
  return rows(sql`'session', c.session`, systemTable(system, 'session_ends'), heard, version);
}

function rows(members: Sql, table: Sql, heard: number | null, version: Sql): Sql {
  if (heard === null) return sql`NULL::json`;
  return sql`(SELECT json_agg(item) FROM (
    SELECT json_build_array(c.version, ${members}) AS item FROM ${table} AS c
    WHERE c.version > ${heard}::bigint AND c.version <= ${version} LIMIT ${MOST + 1}) AS noted)`;
}

/** Whether each version between the two has a row; rows are stored for some minutes. */
function isWhole(noted: readonly ChangeRow[], from: number, to: number): boolean {
  if (noted.length > MOST || to < from) return false;
  return new Set(noted.map(([version]) => version)).size === to - from;
}

/** A counter before and now, with the changes in between. */
export interface CounterAdvance {
  readonly from: number;
  readonly to: number;
  readonly noted: readonly ChangeRow[];
}

/**
 * The combined changes; null when they are not completely known, so that anything may have changed.
 */
export function combinedChanges(advances: readonly CounterAdvance[]): AccessChanges | null {
  if (advances.some(({ from, to, noted }) => !isWhole(noted, from, to))) return null;
  const sets = {
    user: new Set<string>(),
    role: new Set<string>(),
    policy: new Set<string>(),
    permission: new Set<string>(),
    session: new Set<string>(),
  };
  let isPublic = false;
  for (const [, kind, key] of advances.flatMap(({ noted }) => noted)) {
    // No process caches settings.
    if (kind === 'settings') continue;
    if (kind === 'public') isPublic = true;
    else if (key !== null && isKind(kind)) sets[kind].add(key);
    else return null;
  }
  const { user: users, role: roles, policy: policies, permission: permissions } = sets;
  return { users, roles, policies, permissions, sessions: sets.session, public: isPublic };

  function isKind(kind: string): kind is keyof typeof sets {
    return Object.hasOwn(sets, kind);
  }
}
