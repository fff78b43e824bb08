/**
 * The deliveries of this process, and how they are stopped: immediately by message, and reliably by
 * reading their rows once a second.
 */

import { metrics } from '#core/base/metrics/metrics.ts';
import { render, sql } from '#core/database/sql.ts';
import { deliveryName } from '#core/jobs/worker-report.ts';
import type { Delivery } from '#core/jobs/write-job-status.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Services } from '#workers/services.ts';
import { Interruption } from './interruption-reason.ts';

const LOOK_EVERY_MS = 1_000;

interface Entry {
  readonly delivery: Delivery;
  readonly controller: AbortController;
  /** When it began or last made progress, by `performance.now()`. */
  movedAt: number;
}

interface DeliveryState {
  readonly id: string;
  readonly attempt: number;
  readonly cancel_requested: boolean;
}

export class RunningDeliveries {
  readonly #services: Services;
  readonly #entries = new Map<string, Entry>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(services: Services) {
    this.#services = services;
    this.#unsubscribe = services.bus.subscribe('job.cancel', ({ id }) => {
      if (this.#entries.has(id)) this.#look();
    });
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    metrics.reading('sluice_jobs_running', () => [[{}, this.#entries.size]]);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Watches a delivery until {@link remove}. */
  add(delivery: Delivery): AbortController {
    const controller = new AbortController();
    this.#entries.set(delivery.id, { delivery, controller, movedAt: performance.now() });
    return controller;
  }

  /** A delivery has made progress. */
  moved({ id, attempt }: Delivery): void {
    const entry = this.#entries.get(id);
    if (entry?.delivery.attempt === attempt) entry.movedAt = performance.now();
  }

  /** Milliseconds since each delivery began or made progress. */
  silences(): Record<string, number> {
    const now = performance.now();
    return Object.fromEntries(
      [...this.#entries.values()].map(({ delivery, movedAt }) => [
        deliveryName(delivery),
        Math.round(now - movedAt),
      ]),
    );
  }

  remove(delivery: Delivery): void {
    if (this.#entries.get(delivery.id)?.delivery === delivery) this.#entries.delete(delivery.id);
  }

  /** Stops every delivery, so that other workers can do these jobs. */
  drain(): void {
    for (const { controller } of this.#entries.values()) {
      controller.abort(new Interruption('draining'));
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  #look(): void {
    if (this.#entries.size === 0) return;
    const { pool, schema, log } = this.#services;
    const entries = [...this.#entries.values()];
    const ids = entries.map(({ delivery }) => delivery.id);
    const statement = render(sql`SELECT id, attempt, cancel_requested
      FROM ${systemTable(schema, 'jobs')} WHERE id = ANY(${ids}::uuid[])`);
    pool.query<DeliveryState>(statement).then(
      ({ rows }) => {
        for (const row of rows) {
          const entry = entries.find(({ delivery }) => delivery.id === row.id);
          if (row.attempt !== entry?.delivery.attempt) {
            entry?.controller.abort(new Interruption('superseded'));
          } else if (row.cancel_requested) {
            entry.controller.abort(new Interruption('cancelled'));
          }
        }
      },
      (error) => log.warn({ err: error }, 'could not read the state of running jobs'),
    );
  }
}
