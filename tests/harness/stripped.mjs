/**
 * Preloaded into each process of the suite. Caches the sources without their types in the folder
 * TEST_STRIPPED, by their content, because Node strips them again in every process. Runs the bundle
 * of a script if the folder TEST_BUNDLES contains one. Plain JavaScript, because it would otherwise
 * have to strip itself.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = process.env.TEST_STRIPPED;
const bundles = process.env.TEST_BUNDLES;
const root = join(import.meta.dirname, '../..');

/** @param {string} path of a TypeScript file */
function stripped(path) {
  const source = readFileSync(path);
  const kept = join(folder, createHash('sha256').update(source).digest('hex'));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const text = stripTypeScriptTypes(source.toString());
    // Another process may write the same file, or read it concurrently.
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, text);
    renameSync(unfinished, kept);
    return text;
  }
}

/** @param {string} path of a script; null when it has no bundle */
function bundleOf(path) {
  if (!bundles) return null;
  const bundle = join(bundles, relative(root, path).replace(/\.ts$/, '.js'));
  return existsSync(bundle) ? pathToFileURL(bundle).href : null;
}

const isScript = (path) => path === process.argv[1];

if (folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
      const path = fileURLToPath(url);
      const bundle = isScript(path) ? bundleOf(path) : null;
      const source = bundle === null ? stripped(path) : `import ${JSON.stringify(bundle)};`;
      return { format: 'module', source, shortCircuit: true };
    },
  });
}
