// @quick

import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import { importParameters, importQuery } from '#core/services/import-parameters.ts';

function refusal(
  query: Record<string, unknown>,
  parts: Record<string, string> = {},
  format: ImportFormat = 'csv',
) {
  try {
    importParameters(importQuery(query), new Map(Object.entries(parts)), { format });
  } catch (error) {
    if (error instanceof ServiceError) {
      return { code: error.code, reason: error.details.reason?.sentence };
    }
    throw error;
  }
  return null;
}

t.test('an unknown option is named', async (t) => {
  const reason = 'An import has no option "sepparator".';
  t.strictSame(refusal({ sepparator: ';' }), { code: 'INVALID_QUERY', reason });
  t.strictSame(refusal({}, { sepparator: ';' }), { code: 'INVALID_PAYLOAD', reason });
  t.match(refusal({ constructor: 'x' }), { code: 'INVALID_QUERY' });
  t.equal(refusal({ background: '', access_token: 'x' }), null);
});

t.test('a wrong value is reported with the valid ones', async (t) => {
  const wrong: readonly [string, unknown, RegExp][] = [
    ['mode', 'replace', /"mode" must be insert or upsert or update/],
    ['on_error', 'ignore', /"on_error" must be abort or skip/],
    ['max_errors', '-1', /"max_errors" must be a whole number/],
    ['match', 'a,,b', /"match" must be field names/],
    ['match', 'a,a', /"match" must name each field once/],
    ['dry_run', 'perhaps', /"dry_run" must be true or false/],
    ['create', 'x', /"create"/],
    ['mapping', '[1]', /"mapping" must be a JSON object/],
    ['mapping', '{"a":"x","b":"x"}', /"mapping" maps two headers to "x"/],
    ['empty', 'zero', /"empty" must be missing or null or text/],
    ['decimal', ';', /"decimal" must be/],
    ['date_format', '', /"date_format" must be a format/],
    ['date_format', 'DMYYYY', /cannot tell where the day ends and the month begins/],
    ['date_format', 'YYYY-MM-DD Hm', /cannot tell where the hour ends and the minute begins/],
    ['timezone', 'Mars/Base', /"timezone" must be a time zone/],
    ['separator', ';;', /"separator" must be one character/],
    ['separator', [';', ','], /"separator" must be given once/],
    ['quote', '\n', /"quote" must be one character/],
    ['escape', '', /"escape" must be one character/],
    ['comment', '', /"comment" must be one character/],
    ['charset', 'klingon', /"charset" must name an encoding/],
  ];
  for (const [name, value, reason] of wrong) {
    t.match(refusal({ [name]: value }), { code: 'INVALID_QUERY', reason }, name);
  }
});

t.test('contradicting options are rejected', async (t) => {
  const wrong: readonly [Record<string, unknown>, RegExp][] = [
    [{ mode: 'insert', match: 'a' }, /"match" contradicts "mode=insert"/],
    [{ quote: '', escape: '!' }, /"escape" needs a "quote"/],
    [{ separator: ';', quote: ';' }, /"quote" and "separator" are the same character/],
    [{ separator: '#', comment: '#' }, /"comment" and "separator"/],
    [{ escape: ',' }, /"escape" and "separator"/],
  ];
  for (const [query, reason] of wrong) {
    t.match(refusal(query), { code: 'INVALID_QUERY', reason });
  }
  const differ = refusal({ separator: ';' }, { separator: '|' });
  t.match(differ, { code: 'INVALID_PAYLOAD', reason: /different values of "separator"/ });
  t.equal(refusal({ separator: ';' }, { separator: ';' }), null);
  for (const name of ['separator', 'decimal', 'empty'] as const) {
    const value = { separator: ';', decimal: ',', empty: 'null' }[name];
    t.match(refusal({ [name]: value }, {}, 'ndjson'), { reason: /is an option of CSV files/ });
  }
  t.equal(refusal({ separator: 'tab', quote: "'", comment: '#', charset: 'latin1' }), null);
});
