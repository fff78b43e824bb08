/**
 * Lets several callers share one run of the same work. The run is aborted when no caller waits any
 * more.
 */

interface SharedRun<T> {
  readonly result: Promise<T>;
  readonly gone: AbortController;
  waiting: number;
}

export class SingleFlight<T> {
  readonly #flights = new Map<string, SharedRun<T>>();

  /**
   * Joins the running work of this name, or starts it.
   * @param work gets a signal that is aborted when all callers are gone
   */
  join(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const flight = this.#flights.get(name) ?? this.#begin(name, work);
    flight.waiting += 1;
    const leave = () => {
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      // New callers must not join work that is being aborted.
      this.#end(name, flight);
      flight.gone.abort();
    };
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    return flight.result.finally(() => signal?.removeEventListener('abort', leave));
  }

  #begin(name: string, work: (signal: AbortSignal) => Promise<T>): SharedRun<T> {
    const gone = new AbortController();
    const flight: SharedRun<T> = { result: work(gone.signal), gone, waiting: 0 };
    this.#flights.set(name, flight);
    const end = () => this.#end(name, flight);
    flight.result.then(end, end);
    return flight;
  }

  #end(name: string, flight: SharedRun<T>): void {
    if (this.#flights.get(name) === flight) this.#flights.delete(name);
  }
}
