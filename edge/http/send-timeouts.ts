/** Time limits of responses. */

/** How long a client may take to read its response, in milliseconds. */
export interface SendTimeouts {
  /** STREAM_IDLE: the time without any read. */
  readonly idle: number;
  /** STREAM_MAX_TIME: the total time; does not apply to endless responses, such as events. */
  readonly total: number;
}
