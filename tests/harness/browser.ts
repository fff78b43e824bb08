/**
 * A real browser for tests: the Chromium that comes as an npm package, else the machine's own. Where
 * neither starts, tests of the browser are left out by name, but not where CI is set.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
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

/** Unpacks the package's Chromium and its libraries, once for each account and version. */
async function unpack(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const folder = join(tmpdir(), `sluice-chromium-153-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true });
  // It unpacks into TMPDIR whatever is there of the name, also somebody else's.
  process.env.TMPDIR = folder;
  const {
    default: chromium,
    inflate,
    setupLambdaEnvironment,
  } = await import('@sparticuz/chromium');
  const path = await chromium.executablePath();
  await inflate(join(dirname(entry), '../bin/al2023.tar.br'));
  setupLambdaEnvironment(join(folder, 'al2023', 'lib'));
  // The configuration of the package names folders of another system; without fonts no text is visible.
  const fonts = join(folder, 'fonts');
  writeFileSync(join(fonts, 'fonts.conf'), fontConfiguration(fonts, join(folder, 'fonts-cache')));
  return path;
}

async function launch(path: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: path, headless: true, chromiumSandbox: false });
}

/** Starts a browser, which ends with the test; null where there is none and none is required. */
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
