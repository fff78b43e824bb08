// @newest
/** Workbooks and Parquet files through the API: in, out, and what is refused before it is stored. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';
import { workbook } from '#tests/harness/workbook.ts';

const cluster = await startCluster(t, { workers: 1 });
const ROWS =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>day</t></is></c></row>' +
  '<row r="2"><c r="A2"><v>1</v></c><c r="B2" s="1"><v>45352</v></c></row>';
const XLSX = { name: 'a.xlsx', type: 'application/octet-stream' };

function bytesOf(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}

t.test('a workbook creates a collection, which is exported and imported again', async (t) => {
  const content = bytesOf(await workbook({ rows: ROWS, formats: ['yyyy-mm-dd'] }));
  const created = await upload(cluster, 'sheet', content, { ...XLSX, query: '?create=true' });
  t.equal(created.status, 200, await created.text());
  const items = async (name: string) =>
    (await bodyOf<{ data: unknown }>(await cluster.fetch(`/items/${name}`))).data;
  t.strictSame(await items('sheet'), [{ id: 1, day: '2024-03-01' }]);
  for (const format of ['xlsx', 'parquet']) {
    const answer = await cluster.fetch(`/items/sheet?export=${format}`);
    t.match(answer.headers.get('content-disposition'), `.${format}`);
    const file = new Uint8Array(await answer.arrayBuffer());
    const options = {
      name: `b.${format}`,
      type: 'application/octet-stream',
      query: '?create=true',
    };
    const again = await upload(cluster, `of_${format}`, file, options);
    t.equal(again.status, 200, await again.text());
    t.strictSame(await items(`of_${format}`), [{ id: 1, day: '2024-03-01' }], format);
  }
});

t.test('old, encrypted and other workbooks are refused with their reason', async (t) => {
  const refused = async (content: Uint8Array<ArrayBuffer>, name: string) => {
    const answer = await upload(cluster, 'sheet', content, { name, type: '' });
    t.equal(answer.status, 415, name);
    const { errors } = await bodyOf<{
      errors: { extensions: { reason_code: string } }[];
    }>(answer);
    return errors[0]?.extensions.reason_code;
  };
  const old = bytesOf(Buffer.from('d0cf11e0a1b11ae10000', 'hex'));
  t.equal(await refused(old, 'a.xls'), 'workbook_old_or_encrypted');
  t.equal(await refused(old, 'a.xlsx'), 'workbook_old_or_encrypted');
  t.equal(await refused(bytesOf(Buffer.from('PK\x03\x04macro')), 'a.xlsm'), 'workbook_with_macros');
  t.equal(await refused(bytesOf(Buffer.from('id,name\n')), 'a.xlsx'), 'workbook_expected');
});

t.test('rejected rows of a workbook are corrected as CSV, without its secrets', async (t) => {
  await cluster.db.query('CREATE TABLE guest (id int PRIMARY KEY, day date, pin text)');
  await until(async () => (await cluster.fetch('/items/guest')).ok, 'the table is served');
  const concealed = await cluster.fetch('/fields/guest/pin', {
    method: 'PATCH',
    body: JSON.stringify({ meta: { special: 'conceal' } }),
  });
  t.equal(concealed.status, 200, await concealed.text());
  const text = (at: string, value: string) =>
    `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const rows = [
    `<row r="1">${text('A1', 'id')}${text('B1', 'Secret')}${text('C1', 'day')}</row>`,
    `<row r="2">${text('A2', 'one')}${text('B2', '4711')}</row>`,
    '<row r="3"><c r="A3"><v>2</v></c></row>',
  ];
  const content = bytesOf(await workbook({ rows: rows.join('') }));
  const mapping = encodeURIComponent('{"Secret":"pin"}');
  const options = `?on_error=skip&mapping=${mapping}`;
  const sent = await upload(cluster, 'guest', content, { ...XLSX, query: options });
  t.equal(sent.status, 200, await sent.text());
  const rejected = await cluster.fetch(`${sent.headers.get('location')}/rejected`);
  const [head = '', row = ''] = (await rejected.text()).split('\n');
  t.equal(head, 'sluice_row,sluice_reason,id,Secret,day');
  t.match(row, /^1,.*,one,,$/, 'all of its cells, but for the secret');
  const corrected = `${head}\n${row.replace(/one,,$/, '1,,2024-03-01')}\n`;
  const again = await upload(cluster, 'guest', corrected, { query: options });
  t.equal(again.status, 200, await again.text());
  const { rows: stored } = await cluster.db.query('SELECT id, day::text FROM guest ORDER BY id');
  t.strictSame(stored, [
    { id: 1, day: '2024-03-01' },
    { id: 2, day: null },
  ]);
});
