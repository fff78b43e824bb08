// @newest @quick
/** Answers whose caller lost the right before they began are refused, and let go of what they hold. */
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import type { Request } from '#edge/http/request.ts';
import { OpenStreams } from '#edge/streams/open-streams.ts';

t.test('what is ended before it began is refused', async (t) => {
  const streams = new OpenStreams();
  streams.onOpen((stream) => stream.cut('Ask again.'));
  const released = Promise.withResolvers<void>();
  const pieces = (async function* () {
    try {
      yield 'first';
      yield 'second';
    } finally {
      released.resolve();
    }
  })();
  const request: Pick<Request, 'signal' | 'cut'> = {
    signal: new AbortController().signal,
    cut: () => t.fail('its connection goes on'),
  };
  const facts = {
    kind: 'items',
    caller: ANONYMOUS,
    collection: 'a',
    since: 0,
    again: () => Promise.resolve(ANONYMOUS),
  } as const;
  t.throws(() => streams.listed(request, facts, pieces), {
    code: 'SERVICE_UNAVAILABLE',
    details: { service: 'rights', reason: { sentence: 'Ask again.' } },
  });
  await released.promise;
  t.equal([...streams].length, 0, 'and no longer listed');
});
