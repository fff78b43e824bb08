/**
 * The App as people adapt it: with the distances between letters, words and lines of WCAG 1.4.12, at
 * 200 %, without motion, and with the colours of the system alone.
 */
import t from 'tap';
import { type AppPage, DESKTOP, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { makeBookshop } from './fixture/bookshop.ts';
import { focusFaults, settled } from './fixture/screen-checks.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const SCREENS = [
  '/content/book',
  '/content/book/1',
  '/model/collections/book',
  '/model/collections/book/fields/status',
  '/access/users',
  '/access/policies',
  '/imports',
  '/operations/jobs',
  '/operations/health',
  '/settings',
];

/** Texts that are cut, by what they say. */
const CUT = `[...document.querySelectorAll('body *')].flatMap((one) => {
  const { overflowX, overflowY, position } = getComputedStyle(one);
  const hasText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  if (!hasText || !one.checkVisibility() || one.clientHeight < 2) return [];
  const isCut = (overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1)
    || (overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 1);
  return isCut ? [one.tagName + ': ' + one.textContent.slice(0, 60)] : [];
})`;
const SPACED = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(\`
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
    p { margin-block-end: 2em !important; }
  \`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()`;
const WIDER = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? ['wider than the page by ' + (scrollWidth - clientWidth)] : [];
})()`;
const MOVES = `document.getAnimations().flatMap(({ effect }) => {
  const { duration } = effect.getComputedTiming();
  return duration > 10 ? [effect.target?.outerHTML.slice(0, 200)] : [];
})`;

t.test('the App as people adapt it', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeBookshop });
  const tab = await app.newPage();
  await tab.signIn();
  const visit = async ({ page }: AppPage, path: string) => {
    await tab.open(path);
    await settled(tab);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
  };

  await t.test('no text is cut when its parts are further apart', async (t) => {
    for (const path of SCREENS) {
      await visit(tab, path);
      const before: readonly string[] = await tab.page.evaluate(CUT);
      await tab.page.evaluate(SPACED);
      const after: readonly string[] = await tab.page.evaluate(`[...${CUT}, ...${WIDER}]`);
      await tab.screenshot(`spaced${path.replaceAll('/', '-')}`);
      t.strictSame(
        after.filter((text) => !before.includes(text)),
        [],
        path,
      );
    }
  });

  await t.test('at 200 % everything is there', async (t) => {
    await tab.page.setViewportSize({ width: DESKTOP.width / 2, height: DESKTOP.height / 2 });
    for (const path of SCREENS) {
      await visit(tab, path);
      const found: readonly string[] = await tab.page.evaluate(WIDER);
      t.strictSame(found, [], path);
    }
    await tab.page.setViewportSize(DESKTOP);
  });

  await t.test('the focus is seen in the colours of the system', async (t) => {
    await tab.page.emulateMedia({ forcedColors: 'active' });
    let known: readonly string[] = [];
    for (const path of SCREENS) {
      await visit(tab, path);
      const focus = await tab.page.evaluate<{ faults: string[]; known: string[] }>(
        focusFaults(known),
      );
      known = focus.known;
      await tab.screenshot(`forced${path.replaceAll('/', '-')}`);
      t.strictSame(focus.faults, [], path);
    }
    await tab.page.emulateMedia({ forcedColors: 'none' });
  });

  await t.test('nothing moves for whoever wants no motion', async (t) => {
    await tab.page.emulateMedia({ reducedMotion: 'reduce' });
    await visit(tab, '/content/book');
    await tab.page.getByRole('button', { name: 'Columns' }).click();
    await tab.page.getByRole('dialog').waitFor();
    t.strictSame(await tab.page.evaluate(MOVES), []);
  });
  t.strictSame(tab.faults, []);
});
