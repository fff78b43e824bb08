/**
 * Encrypts the stored secrets of second factors. A key is used only when each edge has it. Secrets
 * remain unchanged while an edge of an older release or with another SECRET runs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { SecretSeal } from './secret-seal.ts';

/** Milliseconds between two checks; an edge that restarts is available again by then. */
const PAUSE_MS = 10_000;
/** Secrets that one statement encrypts. */
const AT_ONCE = 100;

interface Stored {
  readonly id: string;
  readonly tfa_secret: string;
}

export interface StoredSecretParts {
  readonly pool: Pool;
  /** The name of the PostgreSQL schema that contains the system tables. */
  readonly schema: string;
  readonly seal: SecretSeal;
  readonly log: Log;
}

export class StoredSecrets {
  readonly #parts: StoredSecretParts;

  constructor(parts: StoredSecretParts) {
    this.#parts = parts;
  }

  /**
   * The secret of a user; null when it was encrypted with a key that this process does not have.
   */
  open(stored: string, user: string): string | null {
    return this.#parts.seal.open(stored, user);
  }

  /** The secret of a user in stored form: encrypted with a key that each edge has. */
  async stored(secret: string, user: string): Promise<string> {
    const key = await this.#commonKey();
    return key === null ? secret : this.#parts.seal.seal(secret, user, key);
  }

  /**
   * Encrypts all secrets with the current key, as soon as each edge has it, and then ends.
   * @param pause milliseconds before each check
   */
  async encryptAll(signal: AbortSignal, pause = PAUSE_MS): Promise<void> {
    const { log, seal } = this.#parts;
    for (;;) {
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if ((await this.#commonKey()) !== seal.names[0]) continue;
        await this.#encryptNow();
        return;
      } catch (error) {
        log.warn({ err: error }, 'could not encrypt the secrets of second factors yet');
      }
    }
  }

  /** The first key that all edges have; null while an edge reads only plain secrets. */
  async #commonKey(): Promise<string | null> {
    const { pool, schema, seal } = this.#parts;
    const { rows } = await pool.query<{ keys: readonly string[] | null }>(
      render(sql`SELECT secret_keys AS keys FROM ${systemTable(schema, 'members')}
        WHERE kind = 'edge' AND expires > clock_timestamp()`),
    );
    if (rows.some(({ keys }) => keys === null)) return null;
    const common = seal.names.find((name) => rows.every(({ keys }) => keys?.includes(name)));
    // Edges without a common key cannot read each other's secrets in any case.
    return common ?? seal.names[0];
  }

  async #encryptNow(): Promise<void> {
    const { log } = this.#parts;
    let [encrypted, unknown] = [0, 0];
    for (let rows = await this.#older(null); rows.length > 0; ) {
      const known = rows.flatMap(({ id, tfa_secret: before }) => {
        const secret = this.open(before, id);
        return secret === null ? [] : [{ id, before, after: this.#parts.seal.seal(secret, id) }];
      });
      encrypted += await this.#replace(known);
      unknown += rows.length - known.length;
      rows = await this.#older(rows.at(-1)?.id ?? null);
    }
    if (encrypted > 0) log.info({ secrets: encrypted }, 'encrypted the secrets of second factors');
    if (unknown === 0) return;
    log.error(
      { secrets: unknown },
      'neither SECRET nor SECRET_PREVIOUS decrypts some secrets of second factors; their users cannot log in',
    );
  }

  /**
   * A batch of the secrets that are not encrypted with the current key.
   * @param last key of the last user of the previous batch
   */
  async #older(last: string | null): Promise<readonly Stored[]> {
    const { pool, schema, seal } = this.#parts;
    const { rows } = await pool.query<Stored>(
      render(sql`SELECT id, tfa_secret FROM ${systemTable(schema, 'users')}
        WHERE tfa_secret IS NOT NULL AND NOT starts_with(tfa_secret, ${seal.startOf(seal.names[0])})
          AND (${last}::uuid IS NULL OR id > ${last}::uuid)
        ORDER BY id LIMIT ${AT_ONCE}`),
    );
    return rows;
  }

  /** Replaces secrets that have not changed in the meantime. */
  async #replace(
    secrets: readonly { readonly id: string; readonly before: string; readonly after: string }[],
  ): Promise<number> {
    const { pool, schema } = this.#parts;
    const column = (name: 'id' | 'before' | 'after') => secrets.map((secret) => secret[name]);
    const { rowCount } = await pool.query(
      render(sql`UPDATE ${systemTable(schema, 'users')} AS u SET tfa_secret = s.after
        FROM unnest(${column('id')}::uuid[], ${column('before')}::text[], ${column('after')}::text[])
          AS s (id, before, after)
        WHERE u.id = s.id AND u.tfa_secret = s.before`),
    );
    return rowCount ?? 0;
  }
}
