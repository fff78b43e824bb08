/**
 * Finds stored rules that are at least partly unreadable: those of permissions and of fields, and
 * the addresses of policies. An earlier release, or plain SQL, may have stored them.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { AddressList } from '#core/access/address-list.ts';
import type { StoredRow } from '#core/access/permission-row.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { fieldRuleFault } from '#core/read/evaluate/field-rule.ts';
import { permissionFaults } from './permission-check.ts';
import { addressFault } from './system/rule-policy.ts';

/** A stored rule that is at least partly unreadable, and the reason. */
export interface UnreadableRule {
  /** The permission; null for the rule of a field or policy. */
  readonly permission: number | null;
  readonly collection: string;
  /** Null for the rule of a field or policy. */
  readonly action: string | null;
  /** The member of the permission, the field, or the policy. */
  readonly place: string;
  /** The part that still applies: nothing, or the readable entries of a list. */
  readonly holds: 'nothing' | 'in part';
  readonly reason: string;
}

export interface RuleAuditOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'current' | 'onCounter'>;
  readonly bounds: QueryBounds;
}

/** The number of permissions to check before other requests run. */
const SLICE = 200;
/** Maximum number of reported rules. */
const MAX_TOLD = 1_000;

export class RuleAudit {
  readonly #options: RuleAuditOptions;
  #found: { readonly catalog: Catalog; readonly rules: Promise<readonly UnreadableRule[]> } | null =
    null;

  constructor(options: RuleAuditOptions) {
    this.#options = options;
    const forget = () => {
      this.#found = null;
    };
    options.catalog.onCounter('access', forget);
    options.catalog.onCounter('reset', forget);
  }

  /** The unreadable rules; cached until permissions or the schema change. */
  async unreadable(): Promise<readonly UnreadableRule[]> {
    const catalog = this.#options.catalog.current();
    const known = this.#found;
    if (known?.catalog === catalog) return known.rules;
    const looking = { catalog, rules: this.#look(catalog) };
    this.#found = looking;
    looking.rules.catch(() => {
      if (this.#found === looking) this.#found = null;
    });
    return looking.rules;
  }

  async #look(catalog: Catalog): Promise<readonly UnreadableRule[]> {
    const rules = [...(await this.#ofPolicies()), ...this.#ofFields(catalog)];
    for await (const rule of this.#ofPermissions(catalog)) {
      if (rules.length >= MAX_TOLD) break;
      rules.push(rule);
    }
    return rules;
  }

  /** Writes each of them to the log; used when a process starts. */
  async report(log: Log): Promise<void> {
    try {
      for (const { reason, ...rule } of await this.unreadable()) {
        const { permission, collection, place } = rule;
        const name = permission === null ? place : `${place} of permission ${permission}`;
        const effect = rule.holds === 'nothing' ? 'and matches nothing' : 'in part';
        log.warn(rule, `${name} on ${collection} is invalid ${effect}: ${reason}`);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not check the stored rules');
    }
  }

  /** Lists without an address, or with an invalid entry. */
  async #ofPolicies(): Promise<readonly UnreadableRule[]> {
    const { pool, schema } = this.#options;
    const { rows } = await pool.query<{ id: string; ip_access: string }>(
      render(sql`
        SELECT id::text, ip_access FROM ${systemTable(schema, 'policies')}
        WHERE ip_access IS NOT NULL ORDER BY id LIMIT ${MAX_TOLD}::int`),
    );
    return rows.flatMap(({ id, ip_access }): UnreadableRule[] => {
      const fault = addressFault(ip_access);
      if (fault === null) return [];
      const rule = { permission: null, collection: 'system_policies', action: null };
      const place = `ip_access of policy ${id}`;
      const { isEmpty } = AddressList.of(ip_access);
      const { sentence } = fault;
      if (isEmpty) return [{ ...rule, place, holds: 'nothing', reason: sentence }];
      return [{ ...rule, place, holds: 'in part', reason: `${sentence} The other entries hold.` }];
    });
  }

  *#ofFields(catalog: Catalog): Generator<UnreadableRule> {
    for (const collection of catalog.collections.values()) {
      for (const { field, row } of collection.descriptor.fields) {
        const { validation } = row;
        if (validation === null || validation === undefined) continue;
        const fault = fieldRuleFault(catalog, collection, field, validation);
        if (fault === null) continue;
        const place = `validation of ${field}`;
        yield {
          permission: null,
          collection: collection.name,
          action: null,
          place,
          holds: 'nothing',
          reason: fault.sentence,
        };
      }
    }
  }

  async *#ofPermissions(catalog: Catalog): AsyncGenerator<UnreadableRule> {
    const { pool, schema, bounds } = this.#options;
    for (let last = 0; ; ) {
      const { rows } = await pool.query<StoredRow>(
        render(sql`
          SELECT id, policy::text, collection, action, permissions::text, validation::text,
            presets::text, fields
          FROM ${systemTable(schema, 'permissions')} WHERE id > ${last}::int
          ORDER BY id LIMIT ${SLICE}::int`),
      );
      for (const row of rows) {
        const { id: permission, collection, action } = row;
        const rule = { permission, collection, action, holds: 'nothing' } as const;
        for (const fault of permissionFaults(catalog, bounds, row)) {
          yield { ...rule, place: fault.place, reason: fault.reason.sentence };
        }
      }
      const { id } = rows.at(-1) ?? {};
      if (id === undefined || rows.length < SLICE) return;
      last = id;
      await turn();
    }
  }
}
