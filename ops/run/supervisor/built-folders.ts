/** The folders with the builds of browser pages. */
import { join } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';

const OPS = join(import.meta.dirname, '../..');

export function adminAppFolder({ ADMIN_APP_DIR }: Pick<Config, 'ADMIN_APP_DIR'>): string {
  return ADMIN_APP_DIR ?? join(OPS, 'app/dist');
}

export function docsFolder(): string {
  return join(OPS, 'docs/site/dist');
}
