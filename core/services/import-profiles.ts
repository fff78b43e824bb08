/** Finds the profile of an import by its name, with the caller's right to read it. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { type ImportProfile, importProfileOf } from './import-profile.ts';
import type { SystemService } from './system/system-items.ts';

const PROFILES = systemName('import_profiles');

const found = v.array(
  v.object({
    name: v.string(),
    collection: v.string(),
    source: v.unknown(),
    mapping: v.unknown(),
    options: v.unknown(),
    mode: v.nullable(v.string()),
  }),
);

const FIELDS = Object.keys(found.item.entries);

export class ImportProfiles {
  readonly #system: Pick<SystemService, 'list'>;
  readonly #bounds: QueryBounds;

  constructor(system: Pick<SystemService, 'list'>, bounds: QueryBounds) {
    this.#system = system;
    this.#bounds = bounds;
  }

  /**
   * The profile of a name.
   * @param collection the collection that is imported into
   * @throws ServiceError FORBIDDEN, with the same reason for a missing and a hidden profile;
   *   INVALID_QUERY for a profile of another collection
   */
  async find(caller: Caller, name: string, collection: string): Promise<ImportProfile> {
    const profile = await this.#read(caller, name);
    if (profile === null) throw forbidden(reason('import_profile_unreadable'));
    if (profile.collection === collection) return profile;
    throw invalidQuery(reason('import_profile_of_other_collection', { name: profile.collection }));
  }

  async #read(caller: Caller, name: string): Promise<ImportProfile | null> {
    const query = parseQuery(
      { fields: FIELDS, filter: { name: { _eq: name } }, limit: '1' },
      this.#bounds,
    );
    try {
      const answer = await this.#system.list({ caller, collection: PROFILES }, parsedQuery(query));
      if (answer.kind !== 'text') return null;
      const [row] = v.parse(found, JSON.parse(String(answer.text)));
      return row === undefined ? null : importProfileOf(row);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
      throw error;
    }
  }
}
