/**
 * Builds the site of the documentation after `npm ci`. An installation without development
 * dependencies has nothing to build it with, and brings its build along or does without the site.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
// A Node that cannot read types cannot start Sluice either.
if (process.features.typescript && existsSync(join(root, 'node_modules/marked/package.json'))) {
  await import('./build.ts');
}
