/** The documentation as it is read: with the mouse, with the keyboard, on a phone, in the dark, without scripts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { startBrowser } from '#tests/harness/browser.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { checkDocsBuilt } from '#tests/harness/docs.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
if (browser !== null) checkDocsBuilt();
const cluster = browser === null ? null : await startCluster(t);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

/** Opens a page whose errors, refused loads and requests to other hosts are noted. */
async function open(t: Test, at: string, options: BrowserContextOptions) {
  const [running, served]: [Browser | null, typeof cluster] = [browser, cluster];
  if (running === null || served === null) throw new Error('no browser');
  const context = await running.newContext(options);
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  // Refusals of the policy are told there, too.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${served.url}/docs`)) faults.push(request.url());
  });
  await page.goto(`${served.url}${at}`);
  return { page, faults };
}

const VIOLATIONS = v.array(
  v.object({ id: v.string(), impact: v.nullish(v.string()), nodes: v.array(v.string()) }),
);

/** What axe finds; the policy of the page lets no script in, so it runs from outside. */
async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(`${AXE};
    axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, impact, nodes }) =>
        ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 120)) })))`);
  return v
    .parse(VIOLATIONS, found)
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).join(' | ')}`);
}

t.test('somebody reads from page to page', { skip }, async (t) => {
  const { page, faults } = await open(t, '/docs', DESK);
  await page.getByRole('navigation', { name: 'Contents' }).getByText('Queries').click();
  await page.waitForURL('**/docs/query');
  t.equal(await page.locator('h1').textContent(), 'Queries');
  await page
    .getByRole('navigation', { name: 'On this page' })
    .getByText('Relations', { exact: true })
    .click();
  await page.waitForURL('**/docs/query#relations');
  await page.locator('.outline a[aria-current]').waitFor();
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.waitForURL('**/docs/write');
  t.strictSame(faults, []);
});

t.test('the search is used with the keyboard alone', { skip }, async (t) => {
  const { page, faults } = await open(t, '/docs/decisions/http', DESK);
  await page.keyboard.press('/');
  await page.keyboard.type('resumable upload');
  const options = page.getByRole('option');
  await options.first().waitFor();
  const box = page.getByRole('combobox');
  t.equal(await box.getAttribute('aria-expanded'), 'true');
  const first = await box.getAttribute('aria-activedescendant');
  await page.keyboard.press('ArrowDown');
  const second = await box.getAttribute('aria-activedescendant');
  t.not(second, first, 'the arrow goes on');
  const wanted = await options.nth(1).getAttribute('href');
  await page.keyboard.press('Enter');
  await page.waitForURL(wanted ?? '');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('xyzzyplugh');
  await page.getByText('Nothing is found').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Nothing is found').waitFor({ state: 'hidden' });
  t.strictSame(faults, []);
});

const FEW = ['/docs'];
const SOME = ['/docs', '/docs/routes', '/docs/readme', '/docs/import'];
const LOOKS = [
  { device: 'desk', colorScheme: 'light', pages: SOME },
  { device: 'desk', colorScheme: 'dark', pages: FEW },
  { device: 'phone', colorScheme: 'light', pages: FEW },
  { device: 'phone', colorScheme: 'dark', pages: SOME },
] as const;

for (const { device, colorScheme, pages } of LOOKS) {
  t.test(`nothing keeps anybody out: ${device}, ${colorScheme}`, { skip }, async (t) => {
    for (const at of pages) {
      const size = device === 'desk' ? DESK : PHONE;
      const { page, faults } = await open(t, at, { ...size, colorScheme });
      t.strictSame(await accessibilityFaults(page), [], at);
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      t.ok(Number(width) <= 0, `${at} is not wider than the window`);
      if (at === '/docs') {
        await page.keyboard.press('/');
        await page.keyboard.type('token');
        await page.getByRole('option').first().waitFor();
        t.strictSame(await accessibilityFaults(page), [], 'with what is found');
      }
      if (process.env.SCREENSHOTS !== undefined) {
        const name = `${at.slice(1).replaceAll('/', '-')}-${device}-${colorScheme}.png`;
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}` });
      }
      t.strictSame(faults, []);
    }
  });
}

t.test('on a phone the contents open and lead on', { skip }, async (t) => {
  const { page, faults } = await open(t, '/docs/import', PHONE);
  const contents = page.getByRole('navigation', { name: 'Contents' });
  t.equal(await contents.isVisible(), false);
  await page.getByRole('button', { name: 'Contents' }).click();
  await contents.waitFor();
  t.strictSame(await accessibilityFaults(page), []);
  await page.keyboard.press('Escape');
  await contents.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Contents' }).click();
  await contents.getByText('Exports', { exact: true }).click();
  await page.waitForURL('**/docs/export');
  t.strictSame(faults, []);
});

t.test('without scripts everything can be read', { skip }, async (t) => {
  const { page, faults } = await open(t, '/docs/query', { ...PHONE, javaScriptEnabled: false });
  t.equal(await page.getByRole('combobox').count(), 0, 'no search that does nothing');
  await page.getByRole('button', { name: 'Contents' }).click();
  await page.getByRole('navigation', { name: 'Contents' }).locator('a[href=jobs]').click();
  await page.waitForURL('**/docs/jobs');
  t.strictSame(faults, []);
});
