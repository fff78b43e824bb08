import t from 'tap';
import { importing } from './importing.ts';

const NOTHING = { inserted: 0, updated: 0, unchanged: 0, duplicates: 0, skipped: 0, failed: 0 };

t.test('rows go into an empty table, and are merged into a filled one', async (t) => {
  const db = await importing(
    t,
    `CREATE TABLE item (id serial PRIMARY KEY, name text NOT NULL, price numeric(8,2) DEFAULT 1.5,
       made date)`,
  );
  const first = await db.import(
    'item',
    'id,name,price,made\n1,one,1.00,2024-02-29\n2,"two, 2",,\n',
  );
  t.strictSame(first, { ...NOTHING, inserted: 2 });
  t.strictSame(await db.rows('SELECT id, name, price, made::text FROM item ORDER BY id'), [
    { id: 1, name: 'one', price: '1.00', made: '2024-02-29' },
    { id: 2, name: 'two, 2', price: '1.50', made: null },
  ]);
  const second = await db.import(
    'item',
    'id,name,price\n1,one,1.00\n2,deux,\n3,three,3\n3,drei,4\n,four,\n',
  );
  t.strictSame(second, { ...NOTHING, inserted: 2, updated: 1, unchanged: 1, duplicates: 1 });
  t.strictSame(await db.rows('SELECT id, name, price FROM item ORDER BY id'), [
    { id: 1, name: 'one', price: '1.00' },
    { id: 2, name: 'deux', price: '1.50' },
    { id: 3, name: 'drei', price: '4.00' },
    { id: 4, name: 'four', price: '1.50' },
  ]);
});
