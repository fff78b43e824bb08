/**
 * A real browser for tests: the Chromium of an npm package, else the machine's own. If neither
 * starts, browser tests are skipped with a message, except when CI is set.
 */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Teardown } from './database.ts';

const OWN = '/usr/bin/chromium';

function fontConfiguration(fonts: string, cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>
`;
}

/**
 * The unpacker of the package's Chromium. It works in TMPDIR, and assumes that existing files with
 * the right name are complete.
 */
async function chromiumIn(folder: string) {
  process.env.TMPDIR = folder;
  return await import('@sparticuz/chromium');
}

/** Fills the folder atomically: concurrent tests find either no folder or a complete one. */
async function unpackInto(folder: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const libraries = join(dirname(require.resolve('@sparticuz/chromium')), '../bin/al2023.tar.br');
  const unfinished = mkdtempSync(`${folder}-`);
  const { default: chromium, inflate } = await chromiumIn(unfinished);
  await chromium.executablePath();
  await inflate(libraries);
  // The package's configuration contains folders of another system; without fonts no text is
  // visible.
  const fonts = fontConfiguration(join(folder, 'fonts'), join(folder, 'fonts-cache'));
  writeFileSync(join(unfinished, 'fonts', 'fonts.conf'), fonts);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has already created the folder.
    if (!existsSync(folder)) throw error;
  }
}

/** Unpacks the package's Chromium and its libraries, once for each account and version. */
async function unpack(): Promise<string> {
  const folder = join(tmpdir(), `sluice-browser-153-${process.getuid?.() ?? 0}`);
  if (!existsSync(folder)) await unpackInto(folder);
  const { default: chromium, setupLambdaEnvironment } = await chromiumIn(folder);
  setupLambdaEnvironment(join(folder, 'al2023', 'lib'));
  return await chromium.executablePath();
}

async function launch(path: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: path, headless: true, chromiumSandbox: false });
}

/** Starts a browser, which ends with the test; null when no browser starts and none is required. */
export async function startBrowser(t: Teardown): Promise<Browser | null> {
  const reasons: unknown[] = [];
  for (const find of [unpack, async () => OWN]) {
    try {
      const browser = await launch(await find());
      t.teardown(() => browser.close());
      return browser;
    } catch (error) {
      reasons.push(error);
    }
  }
  if (process.env.CI === 'true') throw new AggregateError(reasons, 'no browser starts');
  return null;
}
