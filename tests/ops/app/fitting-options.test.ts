// @newest @quick
/** What an input of the Admin App offers while the server still answers an earlier text. */
import t from 'tap';
import { fittingOptions } from '../../../ops/app/source/display/fitting-options.ts';

const NAMES = ['Acme', 'Globex', 'Initech'];
const itself = (name: string) => name;

t.test('only what fits the typed text is offered before its answer', async (t) => {
  t.strictSame(fittingOptions(NAMES, itself, 'glo', false), ['Globex']);
  t.strictSame(fittingOptions(NAMES, itself, 'Umbrella', false), []);
  t.strictSame(fittingOptions(NAMES, itself, null, false), NAMES, 'nothing is typed');
  t.strictSame(fittingOptions(NAMES, itself, 'by another field', true), NAMES, 'it is answered');
});
