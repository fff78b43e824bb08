/**
 * Bundles the scripts that the suite starts hundreds of times, because finding and loading about a
 * hundred modules dominates the startup of an edge. The preloaded `stripped.mjs` runs the bundle of
 * a script.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
const PREFIX = '.sluice-bundle-';
const DAY_MS = 86_400_000;
const SCRIPTS = [
  'edge/main.ts',
  'workers/main.ts',
  'workers/images/image-process.ts',
  'ops/start.ts',
  'ops/run/cli/main.ts',
  'ops/run/monitor/main.ts',
];

/** Preserves a module's references to its own path, which the bundle's path would replace. */
const OWN_PLACE: Plugin = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const url = pathToFileURL(path).href;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(join(path, '..')))
        .replaceAll('import.meta.url', JSON.stringify(url))
        .replaceAll('import.meta.main', 'false');
      return { contents, loader: 'ts' };
    });
  },
};

/** Removes the leftovers of killed runs, except today's, which may still be in use. */
function removeForgotten(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(PREFIX))) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/** @returns the folder of the bundles, each at the path of its script with the extension `.js` */
export async function bundleScripts(): Promise<string> {
  // Bundles in this folder can resolve the packages.
  const packages = join(ROOT, 'node_modules');
  removeForgotten(packages);
  const folder = mkdtempSync(join(packages, PREFIX));
  await build({
    absWorkingDir: ROOT,
    entryPoints: SCRIPTS,
    outbase: ROOT,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    plugins: [OWN_PLACE],
    logLevel: 'warning',
  });
  return folder;
}
