/** Multipart bodies as nobody should send them. */
import type { Dice } from '#tests/harness/dice.ts';

export interface HostileBody {
  readonly name: string;
  readonly type?: string;
  readonly body: Buffer;
  /** The statuses that are right. */
  readonly statuses: readonly number[];
}

/** The type of the bodies that name none. */
export const FORM_TYPE = 'multipart/form-data; boundary=B';
const text = (content: string) => Buffer.from(content, 'latin1');

/** A part of a form. */
function part(disposition: string, content: string, more = ''): string {
  return `--B\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
}

const FILE = part('name="file"; filename="a.txt"', 'content');
const END = '--B--\r\n';

function named(name: string, statuses: readonly number[], more = ''): HostileBody {
  const shown = JSON.stringify(name.slice(0, 40));
  const body = text(part(`name="file"; ${name}`, 'x', more) + END);
  return { name: `a file ${shown} ${more.slice(0, 60)}`, body, statuses };
}

function field(name: string, value: string, statuses: readonly number[]): HostileBody {
  const body = text(part(`name="${name}"`, value) + FILE + END);
  return { name: `the field ${name.slice(0, 30)}: ${value.slice(0, 30)}`, body, statuses };
}

const utf8 = (content: string) => Buffer.from(content).toString('latin1');

/** All that have a shape of their own. */
export const BODIES: readonly HostileBody[] = [
  { name: 'a good one', body: text(FILE + END), statuses: [200] },
  { name: 'no end', body: text(FILE), statuses: [400] },
  { name: 'no end of a part', body: text(FILE.slice(0, -4)), statuses: [400] },
  { name: 'nothing', body: text(''), statuses: [400] },
  { name: 'only the end', body: text(END), statuses: [400] },
  {
    name: 'a preamble and an epilogue',
    body: text(`before\r\n${FILE}${END}after`),
    statuses: [200, 400],
  },
  { name: 'another boundary', body: text(FILE.replaceAll('--B', '--C')), statuses: [400] },
  {
    name: 'the boundary within',
    body: text(part('name="f"; filename="a"', '\r\n--Bx\r\n--B-') + END),
    statuses: [200, 400],
  },
  { name: 'bare line feeds', body: text((FILE + END).replaceAll('\r\n', '\n')), statuses: [400] },
  { name: 'headers without end', body: text(`--B\r\nX: ${'x'.repeat(200_000)}`), statuses: [400] },
  {
    name: 'a huge header',
    body: text(part('name="f"; filename="a"', 'x', `X: ${'x'.repeat(100_000)}\r\n`) + END),
    statuses: [200, 400],
  },
  {
    name: 'many headers',
    body: text(part('name="f"; filename="a"', 'x', 'X: y\r\n'.repeat(5_000)) + END),
    statuses: [200, 400],
  },
  {
    name: '2,000 fields',
    body: text(part('name="x"', 'y').repeat(2_000) + FILE + END),
    statuses: [400],
  },
  {
    name: '100,000 columns',
    body: text(
      Array.from({ length: 100_000 }, (_, n) => part(`name="c${n}"`, 'y')).join('') + FILE + END,
    ),
    statuses: [400],
  },
  { name: '101 files', body: text(FILE.repeat(101) + END), statuses: [400] },
  { name: '1,200 files', body: text(FILE.repeat(1_200) + END), statuses: [400] },
  {
    name: 'a large field',
    body: text(part('name="title"', 'x'.repeat(100_000)) + FILE + END),
    statuses: [400],
  },
  {
    name: 'a form in the form',
    body: text(
      part(
        'name="f"; filename="a"',
        '--C\r\nContent-Disposition: file; filename="/etc/passwd"\r\n\r\nx\r\n--C--',
        'Content-Type: multipart/mixed; boundary=C\r\n',
      ) + END,
    ),
    statuses: [200],
  },
  {
    name: 'the same field twice',
    body: text(part('name="title"', 'a') + part('name="title"', 'b') + FILE + END),
    statuses: [200],
  },
  { name: 'no disposition', body: text(`--B\r\n\r\nx\r\n${FILE}${END}`), statuses: [200, 400] },
  { name: 'no name', body: text(part('filename="a"', 'x') + END), statuses: [200, 400] },
  {
    name: 'no file name',
    body: text(part('name="file"; filename=""', 'x') + END),
    statuses: [200, 400],
  },
  ...[
    '',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'B'.repeat(5_000)}`,
    'multipart/form-data; boundary=B; boundary=C',
    'multipart/form-data; boundary="B\\"',
    'multipart/mixed; boundary=B',
    'multipart/form-data;;;boundary=B',
    'text/plain',
    'application/json',
  ].map((type) => ({
    name: `type ${type.slice(0, 60)}`,
    type,
    body: text(FILE + END),
    statuses: [200, 400, 415],
  })),
  named('filename="../../../etc/passwd"', [200]),
  named('filename="..\\\\..\\\\windows\\\\system.ini"', [200]),
  named('filename="C:\\\\x.txt"', [200]),
  named('filename=".."', [200, 400]),
  named('filename="/"', [200, 400]),
  named('filename="a\0b.txt"', [200, 400]),
  named(`filename="${utf8('\u202egpj.exe')}"`, [200]),
  named(`filename="${utf8('😀'.repeat(300))}"`, [200, 400]),
  named(`filename="${'x'.repeat(5_000)}.txt"`, [200, 400]),
  named('filename="\xff\xfe.txt"', [200, 400]),
  named('filename="a\\r\\nX-Evil: 1.txt"', [200]),
  named(`filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, [200, 400]),
  named(`filename*=UTF-8''%00%0d%0aX-Evil:1`, [200, 400]),
  named(`filename*=utf-16''%d8%00`, [200, 400]),
  named(`filename*=nothing''x`, [200, 400]),
  named(`filename*=UTF-8''%ED%A0%80.txt`, [200, 400]),
  named(`filename="a"; filename*=UTF-8''b; filename*0="c"`, [200, 400]),
  ...[
    `text/${'x'.repeat(1_000)}`,
    'text/html\0',
    'text/html; charset=utf-7',
    'image/svg+xml;,',
    '/',
    'text',
    'text/html\r\n\tx',
    `text/html${' '.repeat(9_000)}`,
    'TEXT/HTML',
    'x/\xff',
  ].map((type) => named('filename="a.txt"', [200, 400], `Content-Type: ${type}\r\n`)),
  named('filename="a.txt"', [200, 400], 'Content-Transfer-Encoding: base64\r\n'),
  ...[
    'id',
    'filename_disk',
    'filesize',
    'sha256',
    'uploaded_by',
    'uploaded_on',
    'created_on',
    'modified_by',
  ].map((name) => field(name, '1', [400, 403])),
  field('id', '00000000-0000-4000-8000-000000000001', [200, 400, 403]),
  // What is no field of a file is left out.
  field('__proto__', 'x', [200]),
  field('constructor', 'x', [200]),
  field('toString', 'x', [200]),
  field('folder', '../..', [400, 403]),
  field('folder', '00000000-0000-4000-8000-000000000000', [400, 403]),
  field('storage', '../../etc', [400]),
  field('storage', '__proto__', [400]),
  field('type', 'text/html', [200]),
  field('title', 'a\0b', [200, 400]),
  field('title', '\xff\xfe', [200, 400]),
  field('title', 'x'.repeat(60_000), [200, 400]),
  field('tags', '['.repeat(30_000), [200, 400]),
  field('metadata', '['.repeat(30_000), [400]),
  field('metadata', `{"a":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`, [200, 400]),
  field('metadata', '"\\u0000"', [200, 400]),
  field('metadata', '"\\ud800"', [200, 400]),
  field('metadata', '1e999', [200, 400]),
  field('tags', '{"__proto__":{"x":1}}', [200, 400]),
  field('focal_point_x', '1e99', [400]),
  field('focal_point_x', '-1', [200, 400]),
  field('focal_point_x', 'NaN', [400]),
];

const SPICES = [
  '\r\n',
  '\r\n--B',
  '--B--',
  '\0',
  ';',
  '"',
  '\\',
  ': ',
  'filename=',
  '\xff',
  'form-data',
  '\r\n\r\n',
] as const;

/** A good body that chance has spoiled in some places. */
export function spoiled(dice: Dice): HostileBody {
  const fields = Array.from({ length: dice.below(4) }, () => part('name="title"', 'x'));
  const files = Array.from({ length: 1 + dice.below(3) }, () => FILE);
  let body = text([...fields, ...files].join('') + END);
  for (let n = dice.below(5); n >= 0; n -= 1) {
    const at = dice.below(body.length);
    const cut = dice.below(3) === 0 ? dice.below(30) : 0;
    const spice = dice.below(2) === 0 ? dice.bytes(1 + dice.below(9)) : text(dice.pick(SPICES));
    body = Buffer.concat([body.subarray(0, at), spice, body.subarray(at + cut)]);
  }
  return { name: 'spoiled', body, statuses: [200, 400, 403] };
}
