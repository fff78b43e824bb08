/**
 * Information for clients before their first request for items: the project, and the limits of this
 * server.
 */
import type { Caller } from '#core/access/grants.ts';
import { mailTransport } from '#core/accounts/mail/transport.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Pool } from '#core/database/pool.ts';
import { join, raw, render, sql } from '#core/database/sql.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { defaultRow } from '#core/model/system-collections/registry.ts';

/** The public settings, which a login page needs. */
const PUBLIC = [
  ...['project_name', 'project_descriptor', 'project_logo', 'project_color', 'default_language'],
  ...['default_appearance', 'default_theme_light', 'default_theme_dark', 'theme_light_overrides'],
  ...['theme_dark_overrides', 'public_foreground', 'public_background', 'public_favicon'],
  ...['public_note', 'custom_css', 'public_registration', 'public_registration_verify_email'],
] as const;

type ServerConfig = Pick<
  Config,
  | 'NODE_ENV'
  | 'EMAIL_TRANSPORT'
  | 'RATE_LIMIT_ENABLED'
  | 'RATE_LIMIT_POINTS'
  | 'RATE_LIMIT_DURATION'
  | 'RATE_LIMIT_GLOBAL_ENABLED'
  | 'RATE_LIMIT_GLOBAL_POINTS'
  | 'RATE_LIMIT_GLOBAL_DURATION'
  | 'QUERY_LIMIT_DEFAULT'
  | 'QUERY_LIMIT_MAX'
  | 'FILES_MIME_TYPE_ALLOW_LIST'
  | 'FILES_MAX_UPLOAD_SIZE'
  | 'TUS_ENABLED'
  | 'STORAGE_PART_SIZE'
  | 'UPLOADS_MAX_PER_USER'
  | 'WEBSOCKETS_ENABLED'
  | 'WEBSOCKETS_HEARTBEAT_ENABLED'
  | 'WEBSOCKETS_HEARTBEAT_PERIOD'
  | 'WEBSOCKETS_REST_ENABLED'
  | 'WEBSOCKETS_REST_AUTH'
  | 'WEBSOCKETS_REST_PATH'
  | 'WEBSOCKETS_GRAPHQL_ENABLED'
  | 'WEBSOCKETS_GRAPHQL_AUTH'
  | 'WEBSOCKETS_GRAPHQL_PATH'
>;

export interface ServerInfoOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly config: ServerConfig;
}

/** Durations in seconds. */
function limitOf(enabled: boolean, points: number, milliseconds: number) {
  return enabled && { points, duration: milliseconds / 1_000 };
}

function socketsOf(config: ServerConfig) {
  return (
    config.WEBSOCKETS_ENABLED && {
      rest: config.WEBSOCKETS_REST_ENABLED && {
        authentication: config.WEBSOCKETS_REST_AUTH,
        path: config.WEBSOCKETS_REST_PATH,
      },
      graphql: config.WEBSOCKETS_GRAPHQL_ENABLED && {
        authentication: config.WEBSOCKETS_GRAPHQL_AUTH,
        path: config.WEBSOCKETS_GRAPHQL_PATH,
      },
      heartbeat: config.WEBSOCKETS_HEARTBEAT_ENABLED && config.WEBSOCKETS_HEARTBEAT_PERIOD / 1_000,
    }
  );
}

export class ServerInfo {
  readonly #options: ServerInfoOptions;

  constructor(options: ServerInfoOptions) {
    this.#options = options;
  }

  /** The project for everybody; limits and version for users. */
  async read({ user }: Caller): Promise<Readonly<Record<string, unknown>>> {
    const { pool, schema, config } = this.#options;
    const columns = join(PUBLIC.map((name) => raw(name)));
    const { rows } = await pool.query<Record<string, unknown>>(
      render(sql`SELECT ${columns} FROM ${systemTable(schema, 'settings')} LIMIT 1`),
    );
    const defaults = defaultRow('settings', ['id']);
    const stored = rows[0] ?? {};
    const project = Object.fromEntries(
      PUBLIC.map((name) => [name, stored[name] ?? defaults[name] ?? null]),
    );
    if (user === null) return { project };
    return {
      project,
      rateLimit: limitOf(
        config.RATE_LIMIT_ENABLED,
        config.RATE_LIMIT_POINTS,
        config.RATE_LIMIT_DURATION,
      ),
      rateLimitGlobal: limitOf(
        config.RATE_LIMIT_GLOBAL_ENABLED,
        config.RATE_LIMIT_GLOBAL_POINTS,
        config.RATE_LIMIT_GLOBAL_DURATION,
      ),
      queryLimit: { default: config.QUERY_LIMIT_DEFAULT, max: config.QUERY_LIMIT_MAX ?? -1 },
      websocket: socketsOf(config),
      files: {
        mimeTypeAllowList: config.FILES_MIME_TYPE_ALLOW_LIST,
        maxUploadSize: config.FILES_MAX_UPLOAD_SIZE ?? null,
      },
      uploads: config.TUS_ENABLED && {
        tus: true,
        chunkSize: config.STORAGE_PART_SIZE,
        maxConcurrency: config.UPLOADS_MAX_PER_USER,
      },
      mail: mailTransport(config) !== null,
      version: RELEASE,
    };
  }
}
