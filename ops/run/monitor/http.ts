/** The requests and responses of the monitor, independent of its server. */

export interface MonitorRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Address of the client. */
  readonly ip: string;
}

export interface MonitorResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The headers of every page: it loads no external content, and other pages must not embed it in a
 * frame.
 */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

export function text(status: number, body: string): MonitorResponse {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` };
}

export function html(body: string): MonitorResponse {
  return { status: 200, type: 'text/html; charset=utf-8', body };
}
