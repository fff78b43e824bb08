// @newest @quick

import t from 'tap';
import { allowedUrl, withToken } from '#core/accounts/mail/link.ts';

const allowed = ['https://app.example.com/account', 'http://localhost:3000/'];

t.test('a page of the allow list, or one below it, is allowed in its normal form', (t) => {
  const corpus = {
    'https://app.example.com/account': 'https://app.example.com/account',
    'https://app.example.com/account/': 'https://app.example.com/account/',
    'https://app.example.com/account/reset?lang=de':
      'https://app.example.com/account/reset?lang=de',
    'HTTPS://APP.EXAMPLE.COM:443/account/a': 'https://app.example.com/account/a',
    'https://app.example.com/account#/reset': 'https://app.example.com/account#/reset',
    'http://localhost:3000/any/thing': 'http://localhost:3000/any/thing',
  };
  for (const [url, normal] of Object.entries(corpus)) t.equal(allowedUrl(url, allowed), normal);
  t.end();
});

t.test('nothing else is, however it is written', (t) => {
  const corpus = [
    '',
    'account',
    '/account',
    '//app.example.com/account',
    'https:app.example.com/account',
    'https:/app.example.com/account',
    'https:///app.example.com/account',
    'javascript:alert(1)//https://app.example.com/account',
    'data:text/html,https://app.example.com/account',
    'ftp://app.example.com/account',
    'http://app.example.com/account',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/accountant',
    'https://app.example.com/account.evil',
    'https://app.example.com/Account',
    'https://app.example.com/account/../admin',
    'https://app.example.com/account/..%2fadmin',
    'https://app.example.com/account/%2e%2e/admin',
    'https://app.example.com/account/%252e%252e%252fadmin',
    'https://app.example.com/account//evil.example',
    'https://app.example.com/account/%2f/evil.example',
    'https://app.example.com/account\\..\\admin',
    'https://app.example.com/account/%5c..%5cadmin',
    'https://app.example.com:8443/account',
    'https://app.example.com.evil.example/account',
    'https://app.example.com./account',
    'https://evil.example/https://app.example.com/account',
    'https://evil.example?https://app.example.com/account',
    'https://evil.example#https://app.example.com/account',
    'https://app.example.com@evil.example/account',
    'https://evil.example@app.example.com/account',
    'https://@app.example.com/account',
    'https://user:password@app.example.com/account',
    'https://evil.example\\@app.example.com/account',
    'https://evil.example\\.app.example.com/account',
    'https://app.example.com%2eevil.example/account',
    'https://app.example.com%00.evil.example/account',
    ' https://app.example.com/account',
    'https://app.example.com/account ',
    'https://app.exam\nple.com/account',
    'https://app.example.com/account\r\nBcc: a@example.com',
    'https://app.example.com/acc\u200bount',
    'https://app.example.com/account\u202e',
    'https://аpp.example.com/account',
    'http://localhost/any',
    'http://localhost:3001/any',
    'http://127.0.0.1:3000/any',
    'http://[::1]:3000/any',
  ];
  for (const url of corpus) t.equal(allowedUrl(url, allowed), null, JSON.stringify(url));
  t.equal(allowedUrl('https://app.example.com/account', []), null);
  t.end();
});

t.test('the token becomes a parameter and displaces one that was there', (t) => {
  t.equal(
    withToken('https://a.example/x?lang=de&token=old&token=older#part', 'a.b-c_d'),
    'https://a.example/x?lang=de&token=a.b-c_d#part',
  );
  t.equal(withToken('http://a.example/x', 't'), 'http://a.example/x?token=t');
  t.end();
});
