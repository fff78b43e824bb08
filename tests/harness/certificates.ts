/** Certificates of a test authority, created with the `openssl` of the machine. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from './database.ts';

/** A key with its certificate, in PEM. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

export interface Authority {
  /** The file with the certificate of the authority. */
  readonly file: string;
  /**
   * A certificate that the authority has signed.
   * @param name such as `DNS:named.test` or `IP:127.0.0.1`
   * @param days of validity from now; negative for an expired certificate
   */
  issue(name: string, days?: number): Certificate;
  /** A self-signed certificate. */
  selfSigned(name: string): Certificate;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A new authority; its files are removed with the test. */
export function createAuthority(t: Teardown): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (key: string, cert: string) => ({
    key: readFileSync(join(folder, key)),
    cert: readFileSync(join(folder, cert)),
  });
  const root = (base: string, ...more: readonly string[]) =>
    openssl(
      ...['req', '-x509', ...KEY, '-subj', `/CN=${base}`, '-days', '2', ...more],
      ...['-keyout', `${base}.key`, '-out', `${base}.pem`],
    );
  root('authority');
  return {
    file: join(folder, 'authority.pem'),
    issue(name, days = 2) {
      const base = `issued-${count++}`;
      const asking = ['-subj', '/CN=nobody', '-addext', `subjectAltName=${name}`];
      openssl('req', '-new', ...KEY, ...asking, '-keyout', `${base}.key`, '-out', `${base}.csr`);
      openssl(
        ...['x509', '-req', '-in', `${base}.csr`, '-copy_extensions', 'copy'],
        ...['-CA', 'authority.pem', '-CAkey', 'authority.key', '-days', String(days)],
        ...['-out', `${base}.pem`],
      );
      return read(`${base}.key`, `${base}.pem`);
    },
    selfSigned(name) {
      const base = `own-${count++}`;
      root(base, '-addext', `subjectAltName=${name}`);
      return read(`${base}.key`, `${base}.pem`);
    },
  };
}
