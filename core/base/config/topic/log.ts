/** Variables: Logs, traces and history. */
import { choice, define, duration, flag, integer, share, size, url } from '../variable.ts';

export const logVariables = {
  LOG_LEVEL: define({
    parse: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const),
    fallback: 'info',
    meaning: 'Lowest level of log lines that are written',
  }),
  ACCESS_LOG: define({
    parse: flag,
    fallback: 'off',
    meaning: 'Write a log line for each request, without its path and parameters',
  }),
  RETENTION_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Remove old history once a day',
  }),
  HISTORY_WARN_ROWS: define({
    parse: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: '10000000',
    meaning: 'Activities and revisions together above which the health report warns',
  }),
  HISTORY_WARN_SIZE: define({
    parse: size,
    fallback: '50gb',
    meaning: 'Size of activities and revisions together above which the health report warns',
  }),
  ACTIVITY_RETENTION: define({
    parse: duration,
    fallback: '90d',
    meaning: 'Age at which activities without revisions are removed',
  }),
  REVISIONS_RETENTION: define({
    parse: duration,
    fallback: '90d',
    meaning: 'Age at which revisions are removed',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: define({
    parse: url('http', 'https'),
    fallback: undefined,
    meaning: 'Collector of traces (OTLP over HTTP), without /v1/traces; unset: nothing is traced',
  }),
  OTEL_TRACES_SAMPLER_ARG: define({
    parse: share,
    fallback: '1',
    meaning: 'Share of the traces that begin here which are sent, from 0 to 1',
  }),
};
