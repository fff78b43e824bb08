/** Where clients can be sent for the bytes of a location. */
import t from 'tap';
import { redirectOrigins, type StorageLocation } from '#core/base/config/storage-location.ts';

const bucket: Extract<StorageLocation, { driver: 's3' }> = {
  driver: 's3',
  ...{ name: 'b', root: '', bucket: 'pictures', region: 'eu-central-1' },
  ...{ endpoint: undefined, forcePathStyle: false, credentials: undefined, redirect: true },
};

t.test('origins of buckets from which clients download directly', async (t) => {
  t.strictSame(redirectOrigins({ name: 'l', driver: 'local', root: '/files' }), []);
  t.strictSame(redirectOrigins({ ...bucket, redirect: false }), []);
  t.strictSame(redirectOrigins(bucket), [
    'https://s3.eu-central-1.amazonaws.com',
    'https://pictures.s3.eu-central-1.amazonaws.com',
  ]);
  const endpoint = 'http://storage.example:9000/path';
  t.strictSame(redirectOrigins({ ...bucket, endpoint }), [
    'http://storage.example:9000',
    'http://pictures.storage.example:9000',
  ]);
  t.strictSame(redirectOrigins({ ...bucket, endpoint, forcePathStyle: true }), [
    'http://storage.example:9000',
  ]);
  const odd = { ...bucket, endpoint: 'http://127.0.0.1:9000', bucket: 'a b;' };
  t.strictSame(redirectOrigins(odd), ['http://127.0.0.1:9000'], 'no host can have such a name');
});
