/**
 * Loaded before everything else into each process of the suite: keeps the sources without their
 * types in the folder TEST_STRIPPED, by what is in them. Node takes them off anew in every process,
 * which is half of what starting an edge costs. Plain JavaScript, for it would be its own first case.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.env.TEST_STRIPPED;

/** @param {string} path of a file of TypeScript */
function stripped(path) {
  const source = readFileSync(path);
  const kept = join(folder, createHash('sha256').update(source).digest('hex'));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const text = stripTypeScriptTypes(source.toString());
    // Another process may do the same, or read meanwhile.
    const unfinished = `${kept}.${process.pid}`;
    writeFileSync(unfinished, text);
    renameSync(unfinished, kept);
    return text;
  }
}

if (folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
      return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true };
    },
  });
}
