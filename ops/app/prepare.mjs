/**
 * Builds the Admin App after `npm ci`. An installation without development dependencies has nothing
 * to build it with, and brings its build along or does without the App.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
if (existsSync(join(root, 'node_modules/vite/package.json'))) {
  const { build } = await import('vite');
  await build({ root: import.meta.dirname, logLevel: 'warn' });
}
