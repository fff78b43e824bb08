/**
 * Variants of images, for callers that may read the image. An existing variant comes from its
 * storage; workers make new ones, once for all requests.
 */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { HolderBudget } from '#core/base/holders/budget.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { type FileVariant, FileVariants, type VariantSource } from '#core/files/file-variant.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import { type TransformationRules, transformationKey } from '#core/files/images/transformation.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { JobService } from '../jobs.ts';
import { VariantBatches } from './variant-batches.ts';

/** The maximum number of waiting requests per client; no page shows more images. */
const MOST_PER_HOLDER = 200;
/** The maximum number for all clients, which share it. */
const MOST = 2_000;
/** The maximum time (ms) that a request waits for its image. */
const WAIT_MS = 30_000;

type VariantConfig = Pick<
  Config,
  | 'ASSETS_TRANSFORM_MAX_CONCURRENT'
  | 'ASSETS_TRANSFORM_MAX_OPERATIONS'
  | 'ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION'
  | 'ASSETS_TRANSFORM_MAX_PIXELS'
>;

export interface VariantOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly jobs: JobService;
  readonly config: VariantConfig;
}

function tooMany(): ServiceError {
  return unavailable('images', reason('too_many_images_waiting'));
}

/** The request for a variant. */
export interface VariantRequest {
  readonly caller: Caller;
  readonly requestId: string | null;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export class VariantService {
  readonly #options: VariantOptions;
  readonly #variants: FileVariants;
  readonly #batches: VariantBatches;
  /** Counts the waiting requests. */
  readonly #waiting = new HolderBudget({ total: MOST, refusal: tooMany });

  constructor(options: VariantOptions) {
    this.#options = options;
    this.#variants = new FileVariants(options.pool, options.schema);
    this.#batches = new VariantBatches({
      jobs: options.jobs,
      concurrency: options.config.ASSETS_TRANSFORM_MAX_CONCURRENT,
      patience: WAIT_MS,
      known: (file, keys) => this.#variants.known(file, keys),
    });
  }

  /** The transformations that the settings and the configuration currently allow. */
  async rules(): Promise<TransformationRules> {
    const { pool, schema, config } = this.#options;
    const { rows } = await pool.query<{ mode: string | null; presets: unknown }>(
      render(sql`SELECT storage_asset_transform AS mode, storage_asset_presets AS presets
        FROM ${systemTable(schema, 'settings')} LIMIT 1`),
    );
    const { mode = null, presets = null } = rows[0] ?? {};
    return {
      ...{ mode, presets },
      maxOperations: config.ASSETS_TRANSFORM_MAX_OPERATIONS,
      maxDimension: config.ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION,
      maxPixels: config.ASSETS_TRANSFORM_MAX_PIXELS,
    };
  }

  /**
   * An existing variant of an image.
   * @returns null when there was no recent attempt to make it
   * @throws ServiceError UNPROCESSABLE_ENTITY when it cannot be made
   */
  async find(
    { file }: VariantSource,
    transformation: ImageTransformation,
  ): Promise<FileVariant | null> {
    const found = await this.#variants.find(file, transformationKey(transformation));
    if (typeof found !== 'string') return found;
    throw new ServiceError('UNPROCESSABLE_ENTITY', {
      reason: reason('image_not_made', { fault: found }),
    });
  }

  /**
   * Submits a variant of an image, and waits for it.
   * @throws ServiceError UNPROCESSABLE_ENTITY when it cannot be made; SERVICE_UNAVAILABLE when it
   * takes too long, or too many requests wait already
   */
  async make(
    source: VariantSource,
    transformation: ImageTransformation,
    request: VariantRequest,
  ): Promise<FileVariant> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(WAIT_MS)]);
    const { caller, requestId } = request;
    const holder = quotaKeyOf(caller);
    if (this.#waiting.takenBy(holder) >= MOST_PER_HOLDER) throw tooMany();
    const hold = this.#waiting.take(holder, 1);
    try {
      await this.#batches.made(source, transformation, { holder, requestId, signal });
    } finally {
      hold.release();
    }
    const made = await this.find(source, transformation);
    if (made !== null) return made;
    throw unavailable('images', reason('image_not_ready'));
  }
}
