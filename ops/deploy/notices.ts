/**
 * Writes `THIRD-PARTY-NOTICES.txt`: the packages that an installation brings along at runtime, and their
 * licences. An image makes its own, from the packages that are in it. Another name may be given.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const FILE = 'THIRD-PARTY-NOTICES.txt';
const RULE = `\n${'-'.repeat(11)}\n\n`;
/** Files with what a package asks to be told, wherever it names them so. */
const TEXTS = /licen[cs]e|^copying|notice|^copyright/i;
/** The part of a README about the licence, for packages without a file of their own. */
const SECTION = /^#+[ \t]*licen[cs](?:e|ing)\b.*\n[\s\S]*?(?=^#|(?![\s\S]))/im;

const Lock = v.object({
  packages: v.record(
    v.string(),
    v.object({
      name: v.optional(v.string()),
      version: v.optional(v.string()),
      /** A folder of ours, which has an entry of its own. */
      link: v.optional(v.boolean()),
      dev: v.optional(v.boolean()),
      optional: v.optional(v.boolean()),
    }),
  ),
});
const Manifest = v.object({ license: v.optional(v.unknown()), author: v.optional(v.unknown()) });

function parsed<T>(schema: v.GenericSchema<unknown, T>, path: string): T {
  return v.parse(schema, JSON.parse(readFileSync(path, 'utf8')));
}

/** The runtime packages of an installation by their folders; those for other platforms are not there. */
function runtimePackages(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const { packages } = parsed(Lock, join(root, 'package-lock.json'));
  for (const [path, { name, version, link, dev, optional }] of Object.entries(packages)) {
    if (path === '' || link === true || dev === true) continue;
    if (existsSync(join(root, path, 'package.json'))) {
      found.set(path, `${name ?? path.split('node_modules/').at(-1)}@${version}`);
    } else if (optional !== true) {
      throw new Error(`${path} is not installed: run npm ci`);
    }
  }
  return found;
}

/** The texts that a package brings, or what it says of its licence where it brings none. */
function textOf(folder: string): string {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXTS.test(entry.name))
    .map(({ name }) => name)
    .sort();
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const { license, author } = parsed(Manifest, join(folder, 'package.json'));
  const readme = readdirSync(folder).find((name) => /^readme(?:\.|$)/i.test(name));
  const [section = ''] =
    readme === undefined ? [] : (SECTION.exec(readFileSync(join(folder, readme), 'utf8')) ?? []);
  const facts = Object.entries({ license, author })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
  return `${facts.join('\n')}\n\n${section.trim()}`.trim();
}

/** Packages with the same text stand above it together. */
function noticesOf(root: string): string {
  const byText = new Map<string, Set<string>>();
  for (const [path, name] of runtimePackages(root)) {
    const text = textOf(join(root, path)).replaceAll('\r\n', '\n');
    if (text === '') throw new Error(`${name} says nothing of its licence`);
    byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  const parts = Array.from(byText, ([text, names]) => {
    const list = [...names].sort().map((name) => ` - ${name}\n`);
    return `${list.join('')}\n${text}\n`;
  });
  return `Sluice contains these packages under the licences that follow them.\n${RULE}${parts.join(RULE)}`;
}

const root = join(import.meta.dirname, '../..');
writeFileSync(process.argv[2] ?? join(root, FILE), noticesOf(root));
