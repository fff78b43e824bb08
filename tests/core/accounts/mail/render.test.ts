// @newest @quick

import t from 'tap';
import { type MailContent, personName, plainName, renderMail } from '#core/accounts/mail/render.ts';

const content: MailContent = {
  subject: 'A subject',
  paragraphs: ['Hello,', 'first & last <b>words</b>.'],
  action: { label: 'Do it', link: 'https://a.example/x?a="1"&token=t' },
  closing: ['Small print.'],
};

t.test('both forms say the same, in the name and colour of the project', (t) => {
  const { subject, text, html } = renderMail(content, { name: 'Harbour', color: '#0a8' });
  t.equal(subject, 'A subject');
  t.equal(
    text,
    'Hello,\n\nfirst & last <b>words</b>.\n\nDo it:\nhttps://a.example/x?a="1"&token=t\n\n' +
      'Small print.\n\n-- \nHarbour\n',
  );
  t.match(html, 'first &amp; last &lt;b&gt;words&lt;/b&gt;.');
  t.match(html, 'href="https://a.example/x?a=&quot;1&quot;&amp;token=t"');
  t.match(html, 'Harbour</p>');
  t.match(html, 'bgcolor="#00aa88"');
  t.notMatch(html, /<script|<img|<link|@import|url\(/i, 'nothing is loaded from elsewhere');
  t.end();
});

t.test('the text on a button can be read on its colour', (t) => {
  const colorOn = (color: string) =>
    /padding:12px 24px;color:(#\w+)/.exec(renderMail(content, { name: 'x', color }).html)?.[1];
  t.equal(colorOn('#ffffff'), '#000000');
  t.equal(colorOn('#FFCC00'), '#000000');
  t.equal(colorOn('#000000'), '#ffffff');
  t.equal(colorOn('#6644FF'), '#ffffff');
  t.end();
});

t.test('what is no colour is not used', (t) => {
  for (const color of ['', 'red', '#12', '#12345g', '#fff;background:url(//e.example)', '"><b>']) {
    const { html } = renderMail(content, { name: 'x', color });
    t.match(html, 'bgcolor="#6644ff"', color);
    if (color.length > 4) t.notOk(html.includes(color), color);
  }
  t.end();
});

t.test('hostile names stay names', (t) => {
  const name = 'A<img src=x onerror=alert(1)>\r\nBcc: b@example.com\u202e"\'';
  const { subject, text, html } = renderMail({ ...content, subject: name }, { name, color: '' });
  t.notMatch(subject, /[\r\n\u202e]/);
  t.notMatch(text, /\r|\u202e|\nBcc/);
  t.notMatch(html, /<img|\u202e|\nBcc/);
  t.match(html, '&lt;img src=x onerror=alert(1)&gt;');
  t.equal(plainName('\u0000a\u0007 \t\u2028b\u200b\ud800 '), 'a b');
  t.equal([...plainName('\u{1f600}'.repeat(500))].length, 100);
  t.end();
});

t.test('a name that mail programs would turn into a link is not said', (t) => {
  const names = {
    Ann: 'Ann',
    '  Ann\n Lee ': 'Ann Lee',
    'J. R.': 'J. R.',
    "O'Neil": "O'Neil",
    'http://e.example': null,
    'win.example': null,
    'you won, see e.example/x': null,
    'a@e.example': null,
    '\u200b': null,
    '': null,
  };
  for (const [name, said] of Object.entries(names)) t.equal(personName(name), said, name);
  t.equal(personName(null), null);
  t.end();
});
