/** Why a delivery was stopped before its actor returned. */

export type InterruptionReason = 'cancelled' | 'overdue' | 'draining' | 'superseded';

/** The reason of a delivery's abort signal. */
export class Interruption extends Error {
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason) {
    super(`the delivery was stopped: ${reason}`);
    this.name = 'Interruption';
    this.reason = reason;
  }
}

/** Why the signal was aborted; null when it was not. */
export function interruptionOf(signal: AbortSignal): InterruptionReason | null {
  return signal.reason instanceof Interruption ? signal.reason.reason : null;
}
