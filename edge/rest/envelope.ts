/** The envelope of REST responses: `{"data":…}`, with `meta` on request. */
import { type Envelope, type ReadData, wrapText } from '#core/services/envelope.ts';

export const REST_ENVELOPE: Envelope = Object.freeze({
  name: 'rest',
  around: ({ data, meta }: ReadData) =>
    wrapText('{"data":', data, meta === null ? '}' : `,"meta":${meta}}`),
});
