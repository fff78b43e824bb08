import t from 'tap';
import { type Ask, openAsker } from './fixture/asker.ts';

const ROLE = '00000000-0000-4000-8000-000000000001';

let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE notes (id int PRIMARY KEY, role uuid);
     INSERT INTO notes VALUES (1, NULL), (2, '${ROLE}'),
       (3, '00000000-0000-4000-8000-000000000002')`,
  );
});

t.test('a list variable without members denies, whatever stands beside it', async (t) => {
  const ids = (operator: string, value: unknown, roles: readonly string[]) =>
    ask('notes', { fields: ['id'], filter: { role: { [operator]: value } } }, { roles });
  t.strictSame(await ids('_in', ['$CURRENT_ROLES'], [ROLE]), [{ id: 2 }]);
  t.strictSame(await ids('_nin', ['$CURRENT_ROLES'], [ROLE]), [{ id: 3 }]);
  t.strictSame(await ids('_in', '$CURRENT_ROLES', []), []);
  t.strictSame(await ids('_nin', '$CURRENT_ROLES', []), []);
  t.strictSame(await ids('_in', [ROLE, '$CURRENT_ROLES'], []), [{ id: 2 }]);
  t.strictSame(await ids('_nin', [ROLE, '$CURRENT_ROLES'], []), []);
});
