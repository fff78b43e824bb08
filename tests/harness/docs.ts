/** The documentation site, for tests that read it from an edge. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @throws Error when it is not built; tests do not build it */
export function checkDocsBuilt(): void {
  if (!existsSync(join(import.meta.dirname, '../../ops/docs/site/dist/docs.html'))) {
    throw new Error('the documentation is not built: npm run build:docs');
  }
}
