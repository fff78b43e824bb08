/** The design tokens: text can be read in both schemes, and pages get all of them. */
import t from 'tap';
import { tokenStyleSheet } from '#core/base/design/style-sheet.ts';
import { type Colours, DARK, LIGHT } from '#core/base/design/tokens.ts';

/** WCAG 2.2 AA for text of a normal size. */
const READABLE = 4.5;

/** The relative luminance of a colour of six digits (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const TEXTS = ['text', 'quietText', 'accent', 'error', 'success', 'warning'] as const;
const GROUNDS = ['page', 'surface', 'sunken'] as const;

for (const [name, scheme] of Object.entries({ light: LIGHT, dark: DARK })) {
  t.test(`texts of the ${name} scheme can be read on every ground`, async (t) => {
    const pairs = TEXTS.flatMap((text) => GROUNDS.map((ground) => ({ text, ground })));
    for (const { text, ground } of [...pairs, { text: 'accent', ground: 'accentSoft' } as const]) {
      const found = contrast(scheme[text], scheme[ground]);
      t.ok(found >= READABLE, `${text} on ${ground}: ${found.toFixed(2)}`);
    }
  });
}

t.test('the style sheet has the colours of both schemes', async (t) => {
  const sheet = tokenStyleSheet();
  const [before = '', dark = ''] = sheet.split('@media (prefers-color-scheme: dark)');
  const hasAll = (part: string, scheme: Colours) =>
    Object.values(scheme).every((colour) => part.includes(`: ${colour};`));
  t.ok(hasAll(before, LIGHT));
  t.ok(hasAll(dark, DARK));
  t.match(before, '--quiet-text: ');
  t.match(before, '--size-body: 0.875rem;');
});
