// @newest @quick
/** The session that crashed the server is told from those that were ended because of that. */
import t from 'tap';
import { CrashWatch } from '#workers/runtime/crash-watch.ts';

t.test('the cause of a crash', async (t) => {
  const watch = new CrashWatch();
  const [own, other] = [{}, {}];
  const since = performance.now();
  t.equal(watch.isCause(own, since), false, 'nothing has happened');
  watch.hear(other, '57P01');
  t.equal(watch.isCause(own, since), false, 'an administrator ended another one');
  watch.hear(other, '57P02');
  t.equal(watch.isCause(own, since), true, 'all others were told');
  t.equal(watch.isCause(own, performance.now() + 1), false, 'it crashed earlier');
  watch.hear(own, '00000');
  t.equal(watch.isCause(own, since), true, 'it was told something else');
  watch.hear(own, '57P02');
  t.equal(watch.isCause(own, since), false, 'it was told as well');
});
