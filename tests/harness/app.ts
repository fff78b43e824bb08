/**
 * The Admin App in a real browser: a cluster that serves its build, and signed-in pages. Forbidden
 * events on the pages are collected: errors, failed and foreign requests, violations of the
 * Content-Security-Policy. Screenshots are stored in `.screenshots/<test>/`.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from 'playwright-core';
import { type Cluster, startCluster } from './cluster.ts';
import type { Teardown } from './database.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Timeout (ms) for busy machines; successful tests never wait this long. */
const PATIENCE = 60_000;

export const ADMIN = { email: 'admin@example.com', password: 'the admin of tests' } as const;

export const DESKTOP = { width: 1280, height: 800 } as const;
export const PHONE = { width: 390, height: 844 } as const;

/** The slowdown factor of the pages' processor, which reveals timing assumptions of a test. */
const SLOWER = Number(process.env.TEST_SLOWER ?? 1);

/** Rules of WCAG up to 2.2 AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export interface AppPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The forbidden events, each with its kind and place. */
  readonly faults: readonly string[];
  /** From now on accepts responses with this status on paths that contain the text. */
  expectStatus(status: number, path: string): void;
  /** Opens a path of the App, such as `/content`, and waits for its heading. */
  open(path: string): Promise<void>;
  /** Signs in with the form and waits until the App is displayed. */
  signIn(credentials?: Credentials): Promise<void>;
  /** Stores a screenshot of the page. */
  screenshot(name: string): Promise<void>;
  /**
   * The relevant findings of axe, one line each; optionally limited to some rules, or to a part of
   * the page.
   */
  axe(rules?: readonly string[], within?: string): Promise<readonly string[]>;
  /**
   * Presses Tab until an element with this accessible name has the focus, at most `limit` times.
   */
  tabTo(name: string, limit?: number): Promise<void>;
  /** Selects an option by its first letters in the focused select element. */
  pick(text: string): Promise<void>;
  /** Opens the menu of a button for additions, and selects an entry. */
  addFrom(button: string, choice: string): Promise<void>;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface TestApp {
  readonly cluster: Cluster;
  /** Opens the App in a separate browser context, which shares no state with other pages. */
  newPage(options?: BrowserContextOptions): Promise<AppPage>;
  /** Another tab in the context of an existing page: the same cookies. */
  newTab(beside: AppPage): Promise<AppPage>;
}

export interface TestAppOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly workers?: number;
  /** Creates tables and metadata before the first page is opened. */
  readonly prepare?: (cluster: Cluster) => Promise<void>;
}

let axeSource: string | null = null;

/** A function for the page: the accessible name of an element. */
const NAME_OF = `(element) => {
  const by = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
  const named = [...(element.labels ?? []), ...by.flatMap((id) => document.getElementById(id) ?? [])];
  const texts = [element.getAttribute('aria-label'), ...named.map((one) => one.textContent)];
  return (texts.find(Boolean) ?? element.textContent ?? '').replaceAll('*', '').trim();
}`;

/** Returns the accessible name of the focused element in the page. */
const FOCUSED_NAME = `(() => {
  const element = document.activeElement;
  return element === null || element === document.body ? '' : (${NAME_OF})(element);
})()`;

/** Whether the page contains a focusable element with this name. */
function isThere(name: string): string {
  return `[...document.querySelectorAll('a, button, input, select, textarea, [tabindex]')]
    .map(${NAME_OF}).includes(${JSON.stringify(name)})`;
}

/** The selected option of the focused select element. */
const CHOSEN = "document.activeElement?.selectedOptions?.[0]?.text.trim() ?? ''";
/** The browser combines letters that are typed within a second to the prefix of one option. */
const LETTERS_MS = 1_100;
const PICKS = 5;

/**
 * Waits for finite animations, but not for endless ones, because half-visible text has no contrast.
 */
const AT_REST = `Promise.all(
  document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    .map(({ finished }) => finished.catch(() => undefined)),
).then(() => undefined)`;

function watch(page: Page, origin: string): { faults: string[]; expected: [number, string][] } {
  const faults: string[] = [];
  const expected: [number, string][] = [];
  const isExpected = (status: number, url: string) =>
    expected.some(([known, path]) => known === status && url.includes(path));
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    // Responses with an error status are checked where they arrive.
    if (message.text().startsWith('Failed to load resource')) return;
    // Maps are drawn without a graphics card, and read by screenshots.
    if (message.text().includes('GL Driver Message')) return;
    if (message.type() === 'error' || message.type() === 'warning') {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) faults.push(`foreign: ${url}`);
  });
  page.on('response', (response) => {
    const [status, url] = [response.status(), response.url()];
    if (status >= 400 && !isExpected(status, url)) faults.push(`${status}: ${url}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A page aborts requests that it no longer needs when it is closed.
    if (reason !== 'net::ERR_ABORTED') faults.push(`${reason}: ${request.url()}`);
  });
  return { faults, expected };
}

/** The description that a screen reader adds to the name of a control. */
export async function descriptionOf(control: Locator): Promise<string | null> {
  const id = await control.getAttribute('aria-describedby');
  return await control.page().locator(`[id="${id}"]`).textContent();
}

/** Starts a cluster that serves the App; it ends with the test. */
export async function startApp(
  t: Teardown,
  browser: Browser,
  options: TestAppOptions = {},
): Promise<TestApp> {
  if (!existsSync(join(ROOT, 'ops/app/dist/index.html'))) {
    throw new Error('the Admin App is not built: npm run build:app');
  }
  const cluster = await startCluster(t, {
    workers: options.workers ?? 0,
    env: {
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      LOGIN_STALL_TIME: '1ms',
      RATE_LIMIT_LOGIN_ENABLED: 'false',
      // Images also wait for a processor.
      ASSETS_TRANSFORM_TIMEOUT: '30s',
      ...options.env,
    },
  });
  await options.prepare?.(cluster);
  const pictures = join(ROOT, '.screenshots', basename(process.argv[1] ?? 'app', '.ts'));
  mkdirSync(pictures, { recursive: true });

  let opened = 0;

  async function adopt(context: BrowserContext): Promise<AppPage> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    if (SLOWER > 1) {
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    }
    opened += 1;
    const last = join(pictures, `last-${opened}.png`);
    // The final screenshot is the most useful information about a failed test.
    t.teardown(async () => {
      if (!page.isClosed()) await page.screenshot({ path: last });
    });
    const { faults, expected } = watch(page, cluster.url);
    // Without a worker, or before it has started, health says so; the home and the overview read it.
    expected.push([503, '/server/health']);
    const open = async (path: string) => {
      await page.goto(`${cluster.url}/admin${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    };
    return {
      page,
      context,
      faults,
      open,
      expectStatus: (status, path) => void expected.push([status, path]),
      async signIn({ email, password } = ADMIN) {
        // A caller who is not signed in receives 401.
        const others = expected.length;
        for (const path of [
          '/users/me',
          '/policies/me/globals',
          '/permissions/me',
          '/auth/refresh',
        ])
          for (const status of [400, 401, 403]) expected.push([status, path]);
        await open('/sign-in');
        await page.getByLabel('E-mail address').fill(email);
        await page.locator('input[name=password]').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.locator('#content').waitFor();
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        expected.length = others;
      },
      async screenshot(name) {
        await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
      },
      async axe(rules, within) {
        if (await page.evaluate("typeof axe === 'undefined'")) {
          axeSource ??= readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
          await page.evaluate(axeSource);
        }
        const options = { runOnly: rules ?? WCAG };
        const run = async () => {
          await page.evaluate(AT_REST);
          const results: AxeResults = await page.evaluate(
            `axe.run(${JSON.stringify(within) ?? 'document'}, ${JSON.stringify(options)})`,
          );
          return results.violations
            .filter(({ impact }) => impact !== 'minor')
            .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
        };
        const faults = await run();
        const isPale = (fault: string) => fault.startsWith('color-contrast:');
        if (!faults.some(isPale)) return faults;
        // A notice may have begun to fade during the check; insufficient contrast persists at rest,
        // too.
        return [...faults.filter((fault) => !isPale(fault)), ...(await run()).filter(isPale)];
      },
      async addFrom(button, choice) {
        await page.getByRole('button', { name: button, exact: true }).click();
        await page.getByRole('menuitem', { name: choice, exact: true }).click();
        await page.locator('[role=menu]').waitFor({ state: 'detached' });
      },
      async tabTo(name, limit = 60) {
        await until(() => page.evaluate(isThere(name)), `"${name}" is there`);
        const seen: string[] = [];
        for (let step = 0; step < limit; step += 1) {
          await page.keyboard.press('Tab');
          const focused: string = await page.evaluate(FOCUSED_NAME);
          if (focused === name) return;
          seen.push(focused);
        }
        throw new Error(`Tab does not come to "${name}", but to: ${seen.join(', ')}`);
      },
      async pick(text) {
        for (let time = 0; time < PICKS; time += 1) {
          await page.keyboard.type(text);
          const chosen: string = await page.evaluate(CHOSEN);
          if (chosen.toLowerCase().startsWith(text.toLowerCase())) return;
          await delay(LETTERS_MS);
        }
        throw new Error(`"${text}" is not chosen`);
      },
    };
  }

  return {
    cluster,
    async newPage(context = {}) {
      const own = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', ...context });
      t.teardown(() => own.close());
      return adopt(own);
    },
    newTab: ({ context }) => adopt(context),
  };
}
