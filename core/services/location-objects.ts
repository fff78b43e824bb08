/**
 * The objects of IMPORT_LOCATIONS. Only administrators import them, because no permission covers
 * single objects of a location.
 */
import type { Rights } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import {
  forbidden,
  invalidPayload,
  ServiceError,
  unavailable,
} from '#core/base/errors/service-error.ts';
import {
  isObjectKey,
  isObjectPrefix,
  type LocatedObject,
  type ObjectLocation,
} from '#core/files/location/object-location.ts';
import { type ByteRange, ReplacedObject } from '#core/files/storage/storage.ts';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** @throws ServiceError FORBIDDEN for callers who are no administrators */
export function requireLocationRights({ admin }: Pick<Rights, 'admin'>): void {
  if (!admin) throw forbidden(reason('import_location_for_administrators'));
}

export class LocationObjects {
  readonly #locations: ReadonlyMap<string, ObjectLocation>;

  constructor(locations: ReadonlyMap<string, ObjectLocation>) {
    this.#locations = locations;
  }

  /** @throws ServiceError INVALID_PAYLOAD for a location that is not in IMPORT_LOCATIONS */
  requireKnown(location: string): void {
    if (this.#locations.has(location)) return;
    throw invalidPayload(reason('import_location_unknown', { name: location }));
  }

  /**
   * The object of a key.
   * @throws ServiceError INVALID_PAYLOAD for an invalid key and a missing object,
   *   SERVICE_UNAVAILABLE
   */
  async find(location: string, key: string): Promise<LocatedObject> {
    this.requireKnown(location);
    if (!isObjectKey(key)) throw invalidPayload(reason('import_key_invalid'));
    const found = await this.#at(location).find(key);
    if (found === null) throw invalidPayload(reason('import_object_missing'));
    return found;
  }

  /**
   * The same object as a request saw, for its job.
   * @throws ServiceError CONFLICT when it is missing or has other content, SERVICE_UNAVAILABLE
   */
  async same(
    location: string,
    { key, etag }: Omit<LocatedObject, 'bytes'>,
  ): Promise<LocatedObject> {
    const found = await this.#at(location).find(key);
    if (found === null) {
      throw new ServiceError('CONFLICT', { reason: reason('import_object_missing') });
    }
    if (found.etag === etag) return found;
    throw new ServiceError('CONFLICT', { reason: reason('import_object_replaced') });
  }

  /**
   * The objects with a prefix in the order of their keys, after a key.
   * @throws ServiceError INVALID_PAYLOAD for an invalid prefix, SERVICE_UNAVAILABLE
   */
  list(location: string, prefix: string, after: string): AsyncGenerator<LocatedObject, void> {
    this.requireKnown(location);
    if (!isObjectPrefix(prefix)) throw invalidPayload(reason('import_key_invalid'));
    return this.#at(location).list(prefix, after);
  }

  /**
   * Reads an object.
   * @throws ServiceError CONFLICT in place of the end when it has other content,
   *   SERVICE_UNAVAILABLE
   */
  async *read(
    location: string,
    object: LocatedObject,
    range?: ByteRange,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#at(location).read(object, range);
    } catch (error) {
      if (error instanceof ReplacedObject) {
        throw new ServiceError('CONFLICT', { reason: reason('import_object_replaced') });
      }
      if (!isMissing(error)) throw error;
      throw new ServiceError('CONFLICT', { reason: reason('import_object_missing') });
    }
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE when this process does not know the location */
  #at(name: string): ObjectLocation {
    const location = this.#locations.get(name);
    if (location !== undefined) return location;
    throw unavailable('storage', reason('storage_location_missing', { name }));
  }
}
