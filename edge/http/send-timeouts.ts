/** Time limits of answers. */

/** How long a client may take to read its answer, in milliseconds. */
export interface SendTimeouts {
  /** STREAM_IDLE: without reading anything. */
  readonly idle: number;
  /** STREAM_MAX_TIME: in total; does not apply to endless answers, such as events. */
  readonly total: number;
}
