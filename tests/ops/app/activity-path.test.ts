// @newest @quick
/** Links of the activity in the Admin App lead to a screen that shows their subject. */
import t from 'tap';
import { activityPath } from '#ops/app/source/operations/activity-path.ts';

const isKnown = (collection: string) => collection === 'article';
const pathOf = (action: string, collection: string, item = '1') =>
  activityPath({ action, collection, item }, isKnown);

t.test('what has a screen has a link', async (t) => {
  t.equal(pathOf('update', 'article', 'a/b'), '/content/article/a%2Fb');
  t.equal(pathOf('login', 'system_users', 'id'), '/access/users/id');
  t.equal(pathOf('create', 'system_roles', 'id'), '/access/roles/id');
  t.equal(pathOf('update', 'system_policies', 'id'), '/access/policies/id');
  t.equal(pathOf('create', 'system_collections', 'article'), '/model/collections/article');
  t.equal(pathOf('update', 'system_settings'), '/settings');
  t.equal(pathOf('import', 'article', 'id'), '/operations/jobs/id', 'an import is its job');
});

t.test('what is gone or has no screen has none', async (t) => {
  t.equal(pathOf('delete', 'article'), null);
  t.equal(pathOf('update', 'dropped'), null, 'its collection is gone');
  t.equal(pathOf('create', 'system_permissions'), null);
});
