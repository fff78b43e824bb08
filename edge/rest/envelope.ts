/** The envelope of answers in REST: `{"data":…}`, with `meta` when it is requested. */
import type { Data, Envelope } from '#core/services/envelope.ts';

export const REST: Envelope = Object.freeze({
  name: 'rest',
  around: ({ data, meta }: Data) =>
    meta === null ? `{"data":${data}}` : `{"data":${data},"meta":${meta}}`,
});
