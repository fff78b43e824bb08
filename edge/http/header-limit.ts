/**
 * The maximum size of a request's line and headers. The library refuses larger ones than its own
 * limit with a page that names the library, so that limit is set well above ours. The library reads
 * the variable when it is loaded: import this file first.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE = '65536';

/** Maximum bytes of a request's line and headers. */
export const HEADERS_MAX_SIZE = 16_384;
