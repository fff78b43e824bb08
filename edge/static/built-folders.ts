/**
 * The folders of prebuilt pages: those of this installation, unless the configuration names others.
 */
import { join } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';
import { Folder } from './file-source.ts';

const BUILT = join(import.meta.dirname, '../../ops');

export function openAdminApp({ ADMIN_APP_DIR }: Pick<Config, 'ADMIN_APP_DIR'>): Folder {
  return new Folder(ADMIN_APP_DIR ?? join(BUILT, 'app/dist'));
}

export function openDocs(): Folder {
  return new Folder(join(BUILT, 'docs/site/dist'), 'docs.html');
}
