// @newest

import t from 'tap';
import { fuzz } from './fuzz/check.ts';

// A statement with a piece of the request in it, an answer that is the server's fault, a secret in an
// answer: see the table beside this file for what went wrong so elsewhere.
t.test('no request breaks anything or reveals anything', async (t) => {
  await fuzz(t, 5_000, 1);
});
