/**
 * Raises the size of a request's line and headers that uWebSockets.js accepts from 4 to 16 KiB; it
 * answers 431 beyond it. The library reads the variable when it is loaded: import this first.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE = '16384';
