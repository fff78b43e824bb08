/** Variables: Files and images. */
import * as v from 'valibot';
import {
  addressList,
  define,
  duration,
  flag,
  integer,
  list,
  size,
  sizeOrOff,
  text,
} from '../variable.ts';

export const fileVariables = {
  DATA_DIR: define({
    parse: text,
    fallback: '.data',
    meaning: 'Folder of the embedded database, spooled uploads and generated credentials',
  }),
  STORAGE_LOCATIONS: define({
    parse: list,
    fallback: 'local',
    meaning:
      'Names of the places for files; jobs use the first. Each has variables STORAGE_<NAME>_…, listed below',
  }),
  STORAGE_PART_SIZE: define({
    parse: v.pipe(size, v.minValue(5 * 1024 ** 2, 'must be at least 5mb, as S3 demands')),
    fallback: '8mb',
    meaning: 'Size of the parts in which files go to S3; a file has at most 10,000',
  }),
  STORAGE_UPLOAD_MEMORY: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Memory of each process for parts on their way to S3; uploads wait for it',
  }),
  FILES_MAX_UPLOAD_SIZE: define({
    parse: sizeOrOff,
    fallback: '50gb',
    meaning: 'Largest file that users may store; off: no limit',
  }),
  FILES_MAX_PER_USER: define({
    parse: sizeOrOff,
    fallback: '1024gb',
    meaning: 'Bytes of all files that one user has stored; off: no limit',
  }),
  FILES_MIME_TYPE_ALLOW_LIST: define({
    parse: list,
    fallback: '*/*',
    meaning: 'Types of files that users may store, such as image/*,application/pdf',
  }),
  TUS_ENABLED: define({
    parse: flag,
    fallback: 'true',
    meaning: 'Take uploads that can be resumed, at /files/tus',
  }),
  TUS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Such uploads that one user may have begun and not completed',
  }),
  TUS_UPLOAD_EXPIRATION: define({
    parse: duration,
    fallback: '1d',
    meaning: 'Time after its last piece at which such an upload is given up',
  }),
  IMPORT_IP_DENY_LIST: define({
    parse: addressList,
    fallback: '0.0.0.0,169.254.169.254',
    meaning:
      'Addresses that files are not imported from by URL, besides all that are not public; 0.0.0.0 stands for those of this host',
  }),
  IMPORT_IP_ALLOW_LIST: define({
    parse: addressList,
    fallback: 'none',
    meaning:
      'Addresses that files may be imported from although they are not public, unless IMPORT_IP_DENY_LIST names them',
  }),
  IMPORT_URL_TIMEOUT: define({
    parse: duration,
    fallback: '5m',
    meaning: 'Maximum time to fetch a file by its URL',
  }),
  FILES_METADATA_PLACES: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Whether the metadata of images says where they were taken',
  }),
  ASSETS_TRANSFORM_MAX_CONCURRENT: define({
    parse: integer(1, 1_000),
    fallback: '25',
    meaning: 'Jobs for images of one edge at the same time; further ones wait for their turn',
  }),
  ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION: define({
    parse: integer(1, 16_384),
    fallback: '6000',
    meaning: 'Most pixels of a side of an image that is transformed, and of what becomes of it',
  }),
  ASSETS_TRANSFORM_MAX_PIXELS: define({
    parse: integer(10_000, 268_435_456),
    fallback: '36000000',
    meaning:
      'Most pixels of what an image becomes; WebP may have half as many, AVIF a ninth, and a quarter as a preset',
  }),
  ASSETS_TRANSFORM_MEMORY: define({
    parse: v.pipe(size, v.minValue(256 * 1024 ** 2, 'must be at least 256mb')),
    fallback: '512mb',
    meaning: 'Most memory of one process for images; an image that takes more is refused',
  }),
  ASSETS_TRANSFORM_MAX_OPERATIONS: define({
    parse: integer(0, 100),
    fallback: '5',
    meaning: 'Operations that a request may list in "transforms"',
  }),
  ASSETS_TRANSFORM_TIMEOUT: define({
    parse: duration,
    fallback: '7500ms',
    meaning: 'Longest time that one image may take',
  }),
  ASSETS_CACHE_TTL: define({
    parse: duration,
    fallback: '30d',
    meaning: 'Time for which clients may keep files that they have read',
  }),
  ASSETS_CACHE_REVALIDATE: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let clients ask each time whether a file that they keep is still the same',
  }),
  ASSETS_URL_TTL: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Time after which a signed URL of a file ends',
  }),
  ASSETS_URL_MAX_TTL: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Longest time that a client may ask for',
  }),
  UPLOADS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Uploads of one user that arrive at the same time at each edge',
  }),
};
