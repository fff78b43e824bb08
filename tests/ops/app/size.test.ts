// @newest
/** How much a browser loads before the Admin App shows something. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';

const DIST = join(import.meta.dirname, '../../../ops/app/dist');
const LIMIT = 450_000;

/** The scripts that the page names, and those that they import at once. */
function firstLoad(): ReadonlySet<string> {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8');
  const found = new Set([...page.matchAll(/assets\/[\w.-]+\.(?:js|css)/g)].map(([name]) => name));
  for (const name of found) {
    const source = readFileSync(join(DIST, name), 'utf8');
    for (const [, inner] of source.matchAll(/(?:from|import)\s*["`]\.\/([\w.-]+\.js)["`]/g)) {
      found.add(`assets/${inner}`);
    }
  }
  return found;
}

t.test('the first load is small', async (t) => {
  const files = firstLoad();
  t.ok(files.size > 1, 'the build has scripts');
  const sizes = [...files].map((name) => gzipSync(readFileSync(join(DIST, name))).length);
  const sum = sizes.reduce((total, size) => total + size, 0);
  t.comment(`${files.size} files, ${Math.round(sum / 1_000)} kB gzipped`);
  t.ok(sum <= LIMIT, `${sum} bytes gzipped`);
  t.ok(sum > 50_000, 'the scripts are found');
});
