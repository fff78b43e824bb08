/**
 * Stores the generated credentials of the first admin in `DATA_DIR/initial-admin.env`, so that they
 * outlive the terminal. Values that the operator chose are not stored.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';
import type { AdminCredentials } from '#core/model/system/bootstrap.ts';

export interface GeneratedAdmin extends AdminCredentials {
  /** The file with the generated values; null when no value was generated. */
  readonly file: string | null;
  readonly passwordGenerated: boolean;
  readonly tokenGenerated: boolean;
}

/** Writes the file, readable only for this account; does nothing when no value was generated. */
export function keepCredentials(
  config: Pick<Config, 'ADMIN_PASSWORD' | 'ADMIN_TOKEN'>,
  dataDir: string,
  admin: AdminCredentials,
): GeneratedAdmin {
  const passwordGenerated = config.ADMIN_PASSWORD === undefined;
  const tokenGenerated = config.ADMIN_TOKEN === undefined;
  const lines = [
    `ADMIN_EMAIL=${admin.email}`,
    ...(passwordGenerated ? [`ADMIN_PASSWORD=${admin.password}`] : []),
    ...(tokenGenerated ? [`ADMIN_TOKEN=${admin.token}`] : []),
  ];
  const file = lines.length > 1 ? join(dataDir, 'initial-admin.env') : null;
  if (file !== null) {
    rmSync(file, { force: true });
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  }
  return { ...admin, file, passwordGenerated, tokenGenerated };
}
