/** Where the Admin App is when it is built. */
import { join } from 'node:path';
import type { Config } from './config.ts';

/** What builds it. */
export const ADMIN_APP_BUILD = 'npm run build:app';

/** The folder of its build. */
export function adminAppFolder({ ADMIN_APP_DIR }: Pick<Config, 'ADMIN_APP_DIR'>): string {
  return ADMIN_APP_DIR ?? join(import.meta.dirname, '../../ops/app/dist');
}
