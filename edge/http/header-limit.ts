/**
 * How large a request's line and headers may be. The library refuses what is larger than its own
 * bound with a page that names it, so that bound is set well above ours. It reads the variable when
 * it is loaded: import this first.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE = '65536';

/** Most bytes of a request's line and headers. */
export const HEADERS_MAX_SIZE = 16_384;
