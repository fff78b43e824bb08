/** Measures uploaded images, and stores the results in their files if those already exist. */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import {
  IMAGE_FACTS_JOB,
  type ImageFacts,
  imageFactsMessage,
} from '#core/jobs/message/image-facts.ts';
import { storedJson } from '#core/jobs/storable-json.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { FILES } from '#core/services/files/assets.ts';
import type { Actor } from '#workers/runtime/actor.ts';
import type { Services } from '#workers/services.ts';

const DEADLINE_MS = 120_000;

/**
 * Updates the files of an image that have no measurements yet; empty metadata mark an image that
 * cannot be measured.
 */
async function tell(
  { transactions, pool, schema }: Services,
  { storage, name }: { readonly storage: string; readonly name: string },
  facts: ImageFacts | null,
): Promise<void> {
  const { width = null, height = null, metadata = {} } = facts ?? {};
  await transactions.transaction(pool, async (client, note) => {
    const { rows } = await client.query<{ id: string }>(
      render(sql`UPDATE ${systemTable(schema, 'files')}
        SET width = ${width}, height = ${height}, metadata = ${storedJson(metadata)}::json
        WHERE filename_disk = ${name} AND storage = ${storage} AND width IS NULL
          AND (${facts !== null} OR metadata IS NULL) RETURNING id`),
    );
    const keys = rows.map(({ id }) => id);
    if (keys.length > 0) note({ collection: FILES, action: 'update', keys, user: null });
  });
}

export const imageFactsActor: Actor<typeof imageFactsMessage> = {
  name: IMAGE_FACTS_JOB,
  queue: 'images',
  message: imageFactsMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,

  async receive({ storage, name }, { services, signal }) {
    try {
      const facts = await services.images.facts({ storage, name }, signal);
      await tell(services, { storage, name }, facts);
      return facts;
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.status < 500;
      if (isRefused) await tell(services, { storage, name }, null);
      throw error;
    }
  },
};
