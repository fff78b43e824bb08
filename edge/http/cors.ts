/** Allows web pages of other origins to use the API (Fetch Living Standard, 3.2). */
import { includesOrigin, type Origins } from '#core/base/config/origin.ts';
import type { Request } from './request.ts';
import type { Response } from './response.ts';

export interface CorsOptions {
  readonly origins: Origins;
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  /** Pages may send cookies and other stored credentials. */
  readonly credentials: boolean;
  /** Seconds for which a browser may cache the response to a preflight request. */
  readonly maxAge: number;
}

export class Cors {
  readonly #origins: Origins;
  readonly #credentials: boolean;
  readonly #exposed: string;
  readonly #permissions: Readonly<Record<string, string>>;

  constructor(options: CorsOptions) {
    this.#origins = options.origins;
    // Browsers refuse credentials together with `*`, because every page could then read every
    // user's data.
    this.#credentials = options.credentials && options.origins !== '*';
    this.#exposed = options.exposedHeaders.join(', ');
    this.#permissions = {
      'Access-Control-Allow-Methods': options.methods.join(', '),
      'Access-Control-Allow-Headers': options.allowedHeaders.join(', '),
      'Access-Control-Max-Age': String(options.maxAge),
    };
  }

  /**
   * Allows the requesting page to read the response, even an error.
   * @returns the response to a preflight request; null for any other request
   */
  admit(request: Request): Response | null {
    const origin = request.header('origin');
    const isPreflight =
      request.method === 'OPTIONS' &&
      origin !== undefined &&
      request.header('access-control-request-method') !== undefined;
    if (origin === undefined || !includesOrigin(this.#origins, origin)) {
      return isPreflight ? { status: 204 } : null;
    }
    const named = this.#origins === '*' ? '*' : origin;
    request.addHeader('Access-Control-Allow-Origin', named);
    if (this.#credentials) request.addHeader('Access-Control-Allow-Credentials', 'true');
    if (isPreflight) return { status: 204, headers: this.#permissions };
    if (this.#exposed !== '') request.addHeader('Access-Control-Expose-Headers', this.#exposed);
    return null;
  }
}
