/**
 * Renders a mail as plain text and as HTML that old mail programs display. Any value can be
 * hostile, so texts are sanitized here and only here.
 */
import { LIGHT, RADIUS } from '#core/base/design/tokens.ts';
import { escapeHtml } from '#core/base/text/escape-html.ts';

/** The content before rendering. */
export interface MailContent {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The link or button; null without one. */
  readonly action: { readonly label: string; readonly link: string } | null;
  /** Small print below. */
  readonly closing: readonly string[];
}

/** The name and colour of the project. */
export interface Brand {
  readonly name: string;
  /** As in the settings; an invalid colour is ignored. */
  readonly color: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const LONGEST_NAME = 100;

/**
 * Puts a name on one line: no control, bidirectional or invisible characters, blanks joined,
 * limited length.
 */
export function plainName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '');
  const line = visible.replace(/\s+/gu, ' ').trim();
  return [...line].slice(0, LONGEST_NAME).join('').trim();
}

/**
 * The name of a person in a form that no mail program turns into a link; null for an empty name and
 * for one that resembles an address. Users choose their names.
 */
export function personName(name: string | null): string | null {
  const plain = plainName(name ?? '');
  return plain === '' || /[:/\\@]|[.\u3002]\S/u.test(plain) ? null : plain;
}

/** Expands a colour to six digits. */
function colorOf(given: string): string {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(given)?.[1] ?? LIGHT.accent.slice(1);
  const six = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return `#${six.toLowerCase()}`;
}

/** Black or white, whichever has more contrast (WCAG 2, relative luminance). */
function textOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#000000' : '#ffffff';
}

function paragraph(text: string, style: string): string {
  return `<p style="margin:0 0 16px;${style}">${escapeHtml(text)}</p>`;
}

function button({ label, link }: { label: string; link: string }, color: string): string {
  const href = escapeHtml(link);
  const style = `display:inline-block;padding:12px 24px;color:${textOn(color)};text-decoration:none`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td bgcolor="${color}" style="border-radius:${RADIUS.inner}px"><a href="${href}" style="${style}">${escapeHtml(label)}</a></td>
</tr></table>
<p style="margin:16px 0;font-size:13px;color:${LIGHT.quietText};word-break:break-all">${href}</p>`;
}

function htmlOf(content: MailContent, name: string, color: string): string {
  const body = content.paragraphs.map((text) =>
    paragraph(text, `font-size:16px;color:${LIGHT.text}`),
  );
  const closing = content.closing.map((text) =>
    paragraph(text, `font-size:13px;color:${LIGHT.quietText}`),
  );
  const action = content.action === null ? '' : button(content.action, color);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(content.subject)}</title></head>
<body style="margin:0;padding:24px;background:${LIGHT.page};font-family:Helvetica,Arial,sans-serif;line-height:1.5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:${LIGHT.surface};border-top:4px solid ${color}">
<tr><td style="padding:32px">
<p style="margin:0 0 24px;font-size:18px;font-weight:bold;color:${LIGHT.text}">${escapeHtml(name)}</p>
${body.join('\n')}
${action}
${closing.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The content in both forms. */
export function renderMail(content: MailContent, brand: Brand): RenderedMail {
  const name = plainName(brand.name);
  const subject = plainName(content.subject);
  const { action } = content;
  const call = action === null ? [] : [`${action.label}:\n${action.link}`];
  const text = [...content.paragraphs, ...call, ...content.closing, `-- \n${name}`].join('\n\n');
  return {
    subject,
    text: `${text}\n`,
    html: htmlOf({ ...content, subject }, name, colorOf(brand.color)),
  };
}
