// @newest @quick
/** Which faults of a form in the Admin App stand while values are corrected. */
import t from 'tap';
import { standingFaults } from '#ops/app/source/data/faults.ts';

const fault = (...path: readonly string[]) => ({ path, message: 'It is wrong.' });

t.test('a fault stands until its value is corrected', async (t) => {
  const faults = [fault('age'), fault('name'), fault('people', 'create', '0', 'age')];
  const sent = { age: 2, people: { create: [{ age: 1, name: 'A' }] } };
  const paths = (now: Readonly<Record<string, unknown>>) =>
    standingFaults(faults, sent, now).map(({ path }) => path.join('.'));
  t.strictSame(paths(sent), ['age', 'name', 'people.create.0.age']);
  t.strictSame(paths({ ...sent, age: 3 }), ['name', 'people.create.0.age']);
  t.strictSame(paths({ ...sent, name: 'B' }), ['age', 'people.create.0.age'], 'it was missing');
  t.strictSame(
    paths({ ...sent, people: { create: [{ age: 1, name: 'B' }] } }),
    ['age', 'name', 'people.create.0.age'],
    'another value of the same nested item is none of its own',
  );
  t.strictSame(paths({ ...sent, people: { create: [{ age: 4, name: 'A' }] } }), ['age', 'name']);
});
