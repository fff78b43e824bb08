/**
 * The words that people search with, by the page that answers them, where the page itself uses other
 * words or uses them late.
 */
export const SEARCH_WORDS: Readonly<Record<string, string>> = {
  authentication:
    'sso single sign-on oauth openid saml ldap jwt mfa 2fa totp api key bearer cookie',
  backup: 'restore dump pg_dump disaster recovery',
  cache: 'redis stale ttl invalidation etag',
  'coming-from-directus':
    'sso oauth saml webhook webhooks flow flows hook hooks extension extensions cron schedule mysql sqlite',
  'coming-from-postgrest': 'supabase rpc',
  configuration: 'environment variables env settings dotenv',
  deploy: 'docker kubernetes compose helm nginx caddy tls https reverse proxy systemd production',
  export: 'csv download excel backup',
  files: 'images thumbnail resize crop upload assets tus cdn',
  graphql: 'mutation subscription introspection schema apollo urql relay',
  health: 'readiness liveness probe status uptime monitoring',
  history: 'audit log versioning revisions undo changelog trash',
  import: 'csv excel bulk upsert migrate load copy etl spreadsheet',
  jobs: 'queue background worker bullmq cron retry dead letter',
  limits: 'rate limiting throttling quota 429 ddos',
  live: 'websocket realtime subscription push events webhook',
  mail: 'smtp email sendgrid mailgun invitation password reset',
  monitor: 'prometheus grafana metrics dashboard alerts opentelemetry tracing',
  'multi-tenant': 'rls row level security tenant saas organization isolation',
  query:
    'filter where pagination limit offset cursor sort order aggregate group by join search fields select',
  schema: 'ddl create table column index foreign key migration alter',
  'schema-snapshot': 'migration staging production git diff deploy',
  sizing: 'performance memory cpu connections pool scaling requirements',
  storage: 's3 minio bucket azure google cloud r2',
  'system-collection': 'users roles policies permissions rights access control rbac acl',
  trouble: 'error faq help not working crash slow',
  upgrading: 'update new version migrate release',
  write: 'insert update delete create upsert batch nested transaction',
};
