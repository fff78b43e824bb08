// @newest

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { safePath, type ZipEntry, zipOf } from '#core/files/archive/zip.ts';

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

function entry(path: string, text: string): ZipEntry {
  const content = Buffer.from(text);
  return {
    ...{ path, modified: new Date('2024-02-03T04:05:06Z'), bytes: content.length },
    read: async function* () {
      yield content;
    },
  };
}

/** What Python's zipfile reads. */
function listed(archive: Buffer): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  const file = join(folder, 'a.zip');
  writeFileSync(file, archive);
  const code =
    'import sys,json,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;' +
    'print(json.dumps([[n,z.read(n).decode()] for n in z.namelist()]))';
  const text = execFileSync('python3', ['-c', code, file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return JSON.parse(text);
}

t.test('an archive that others read, of the length that was told', async (t) => {
  const { length, content } = zipOf([
    entry('a.txt', 'one'),
    entry('folder/ü.txt', 'two'),
    entry('A.txt', 'three'),
    entry('empty', ''),
  ]);
  const archive = await bytesOf(content);
  t.equal(archive.length, length);
  t.strictSame(listed(archive), [
    ['a.txt', 'one'],
    ['folder/ü.txt', 'two'],
    ['A (2).txt', 'three'],
    ['empty', ''],
  ]);
  t.strictSame(listed(await bytesOf(zipOf([]).content)), []);
});

t.test('an entry that fails fails the archive; who stops closes the entry', async (t) => {
  const broken: ZipEntry = {
    ...entry('b', 'x'),
    read: async function* () {
      yield Buffer.from('x');
      throw new Error('the storage is away');
    },
  };
  await t.rejects(bytesOf(zipOf([entry('a', '1'), broken]).content), { message: /away/ });
  let isClosed = false;
  const endless: ZipEntry = {
    ...entry('c', ''),
    read: async function* () {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        isClosed = true;
      }
    },
  };
  let taken = 0;
  for await (const piece of zipOf([endless]).content) {
    taken += piece.length;
    if (taken > 200_000) break;
  }
  t.ok(isClosed);
});

t.test('no path leads out of the folder', async (t) => {
  const cases = [
    ['../../etc/passwd', 'etc/passwd'],
    ['/etc/passwd', 'etc/passwd'],
    ['..\\..\\x', '.._.._x'],
    ['C:\\x', 'C__x'],
    ['a/../b', 'a/b'],
    ['nul', '_nul'],
    ['com1.txt', '_com1.txt'],
    ['end. ', 'end__'],
    ['\u202Egpj.exe', '_gpj.exe'],
    ['', '_'],
  ] as const;
  for (const [path, safe] of cases) t.equal(safePath(path), safe, JSON.stringify(path));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (path) => {
      const safe = safePath(path);
      const parts = safe.split('/');
      return !/[\\:\p{Cc}]/u.test(safe) && parts.every((part) => !['', '.', '..'].includes(part));
    }),
  );
});
