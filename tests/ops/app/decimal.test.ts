// @newest @quick
/** Numbers with a decimal comma in the Admin App: read as numbers where the language writes them so. */
import t from 'tap';
import { withPoint } from '../../../ops/app/source/data/decimal.ts';

t.test('a decimal comma is read where the language has one', async (t) => {
  t.equal(withPoint('12,50', 'de-DE'), '12.50');
  t.equal(withPoint('-0,5', 'de-DE'), '-0.5');
  t.equal(withPoint('1.234.567,5', 'de-DE'), '1234567.5');
  t.equal(withPoint('12,50', 'fr-FR'), '12.50');
});

t.test('any other text stays as it is', async (t) => {
  for (const text of ['', '12', '12.5', '12,', '1,2,3', '12,5 kg', '1.23,4']) {
    t.equal(withPoint(text, 'de-DE'), text);
  }
  t.equal(withPoint('12,50', 'en-US'), '12,50', 'English reads a comma differently');
});
