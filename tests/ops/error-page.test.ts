// @newest @quick

// The page of errors lists what the catalogue holds, nothing else and nothing less.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { catalogue } from '#core/base/errors/catalogue.ts';

t.test(
  'the page of errors has every code with its status, in the order of the catalogue',
  async (t) => {
    const page = readFileSync(join(import.meta.dirname, '../../ops/docs/errors.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+?) \| (.+?) \|$/gm)];
    t.strictSame(
      rows.map(([, code, status]) => [code, Number(status)]),
      Object.entries(catalogue).map(([code, { status }]) => [code, status]),
    );
  },
);
