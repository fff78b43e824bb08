/**
 * Snapshots of the schema for administrators: takes them, compares them with the schema, and tries
 * changes.
 */
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import { type Pool, withConnection } from '#core/database/pool.ts';
import { render, type Sql } from '#core/database/sql.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { dryRun } from '#core/schema/dry-run.ts';
import { applyDiff, type SnapshotChanges } from '#core/schema/operation/apply-snapshot.ts';
import {
  diffRights,
  presentParts,
  type QueryRows,
  type RightsPart,
  type RightsSnapshot,
  snapshotRights,
} from '#core/schema/rights-snapshot.ts';
import {
  type Snapshot,
  type SnapshotChoice,
  snapshotHash,
  takeSnapshot,
} from '#core/schema/snapshot.ts';
import {
  type DiffMode,
  diffSnapshot,
  type FoundDiff,
  NO_DIFFERENCE,
} from '#core/schema/snapshot-diff.ts';
import { parseSnapshot } from '#core/schema/snapshot-input.ts';

export interface SnapshotServiceOptions {
  readonly catalog: CatalogSource;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** The schema for new tables. */
  readonly home: string;
}

/** The differences between the schema and a snapshot, with the hash of the current schema. */
export interface HashedDiff {
  readonly hash: string;
  readonly diff: FoundDiff;
}

/** Every method throws FORBIDDEN unless the caller is an administrator. */
export class SnapshotService {
  readonly #options: SnapshotServiceOptions;

  constructor(options: SnapshotServiceOptions) {
    this.#options = options;
  }

  /** @throws ServiceError INVALID_QUERY when `include` and `exclude` cannot be combined */
  async take(
    caller: Caller,
    choice: SnapshotChoice,
    rights: readonly RightsPart[] = [],
  ): Promise<Snapshot & RightsSnapshot> {
    requireAdministrator(caller);
    const schema = await takeSnapshot(this.#options.catalog.current(), choice);
    return { ...schema, ...(await this.#rights(rights)) };
  }

  async #rights(parts: readonly RightsPart[]): Promise<RightsSnapshot> {
    const { pool, schema } = this.#options;
    const ask: QueryRows = async <Row extends object>(query: Sql) =>
      (await pool.query<Row>(render(query))).rows;
    return await snapshotRights(ask, schema, parts);
  }

  /**
   * Compares the schema with a snapshot.
   * @returns null when they are equal
   * @throws ServiceError INVALID_PAYLOAD when it is not a snapshot, or comes from another release
   *   and
   * is not forced
   */
  async diff(
    caller: Caller,
    snapshot: unknown,
    options: { readonly mode: DiffMode; readonly force: boolean },
  ): Promise<HashedDiff | null> {
    requireAdministrator(caller);
    const given = parseSnapshot(snapshot, options.force);
    const current = await takeSnapshot(this.#options.catalog.current());
    const schema = await diffSnapshot(current, given, options);
    const rights = diffRights(await this.#rights(presentParts(given)), given, options.mode);
    if (schema === null && presentParts(rights).length === 0) return null;
    const diff = { ...(schema ?? NO_DIFFERENCE), ...rights };
    return { hash: await snapshotHash(current), diff };
  }

  /**
   * The statements that applying a diff would run, in order; changes nothing.
   * @throws ServiceError the foreseeable errors of applying it
   */
  async try(caller: Caller, application: SnapshotChanges): Promise<string[]> {
    requireAdministrator(caller);
    const { pool, catalog, schema: system, home } = this.#options;
    const { force } = application;
    const options = { catalog: catalog.current(), system, home, force };
    return withConnection(pool, async (client) => {
      await client.query('BEGIN');
      try {
        return await dryRun(client, options, (alteration) => applyDiff(alteration, application));
      } finally {
        await client.query('ROLLBACK');
      }
    });
  }
}

function requireAdministrator(caller: Caller): void {
  if (!caller.admin) throw forbidden(reason('only_administrators_use_snapshots'));
}
