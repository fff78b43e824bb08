// @newest @quick

/**
 * Lints what cannot be run by the tests: the Containerfile, the compose file and the systemd units
 * name only files, variables, volumes and secrets that exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import t from 'tap';
import * as v from 'valibot';
import { parse } from 'yaml';
import { variables } from '#core/base/config/variables.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Variables of the system and of other images. */
const FOREIGN = /^(?:POSTGRES_)/;

function isKnown(name: string): boolean {
  return FOREIGN.test(name) || Object.hasOwn(variables, name.replace(/_FILE$/, ''));
}

t.test('the Containerfile is valid, and copies what exists', async (t) => {
  const text = read('ops/deploy/Containerfile');
  t.strictSame(validate(text), []);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  t.match(last, /^USER sluice$/m);
  t.match(last, /^HEALTHCHECK /m);
  const ignored = read('.dockerignore').split('\n');
  for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const source of sources.split(' ')) {
      t.ok(existsSync(join(ROOT, source)), `${source} exists`);
      const [folder] = source.split('/');
      t.ok(ignored.includes(`!${folder}`), `${source} is sent to the builder`);
    }
  }
  // Scripts of ours are not there yet, and other optional packages are needed: sharp has its binaries so.
  for (const [command] of text.matchAll(/npm ci [^&\\\n]*/g)) {
    t.match(command, '--ignore-scripts');
    t.notMatch(command, '--omit=optional');
  }
  const set = [...text.matchAll(/^(?:ENV| {4})\s*([A-Z_]+)=/gm)].map(([, name = '']) => name);
  t.strictSame(
    set.filter((name) => !isKnown(name)),
    [],
  );
});

const Service = v.object({
  image: v.string(),
  environment: v.optional(v.record(v.string(), v.string()), {}),
  volumes: v.optional(v.array(v.string()), []),
  secrets: v.optional(v.array(v.string()), []),
  depends_on: v.optional(v.record(v.string(), v.object({ condition: v.string() })), {}),
});
const Compose = v.object({
  services: v.record(v.string(), Service),
  volumes: v.record(v.string(), v.null()),
  secrets: v.record(v.string(), v.object({ file: v.string() })),
});

t.test('the compose file names what exists', async (t) => {
  const compose = v.parse(Compose, parse(read('ops/deploy/compose.yaml'), { merge: true }));
  for (const [name, service] of Object.entries(compose.services)) {
    const foreign = Object.keys(service.environment).filter((variable) => !isKnown(variable));
    t.strictSame(foreign, [], `variables of ${name}`);
    for (const other of Object.keys(service.depends_on)) t.hasProp(compose.services, other);
    for (const secret of service.secrets) t.hasProp(compose.secrets, secret);
    for (const volume of service.volumes) t.hasProp(compose.volumes, volume.split(':')[0] ?? '');
    for (const value of Object.values(service.environment)) {
      const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? [];
      if (secret !== undefined) t.ok(service.secrets.includes(secret), `${name} has ${secret}`);
    }
  }
});

t.test(
  'the compose file bounds memory, and demands passwords and the address of the proxy',
  async (t) => {
    const text = read('ops/deploy/compose.yaml');
    const Bounded = v.object({
      services: v.record(v.string(), v.object({ mem_limit: v.string() })),
    });
    t.ok(v.is(Bounded, parse(text, { merge: true })), 'each service has a limit');
    t.match(text, /IP_TRUST_PROXY: "\$\{IP_TRUST_PROXY:\?/);
    const { services } = v.parse(Compose, parse(text, { merge: true }));
    for (const name of ['edge', 'worker']) {
      t.strictSame(
        services[name]?.environment.REDIS_URL,
        undefined,
        'no address without a password',
      );
      t.equal(services[name]?.environment.REDIS_URL_FILE, '/run/secrets/redis_url');
    }
    const [, script = ''] = /```sh\n\(\n([^`]*?)\n\)\n```/.exec(read('ops/docs/deploy.md')) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const { status, stderr } = spawnSync('sh', ['-euc', script], { cwd: folder, encoding: 'utf8' });
    t.equal(status, 0, stderr);
    const { secrets } = v.parse(Compose, parse(text, { merge: true }));
    for (const { file } of Object.values(secrets)) {
      t.ok(existsSync(join(folder, file.replace('./secrets/', ''))), `the documents make ${file}`);
    }
  },
);

const UNITS = ['sluice-edge.service', 'sluice-worker.service'];

for (const name of UNITS) {
  const unit = read(`ops/deploy/${name}`);

  t.test(`${name} sets variables that exist`, async (t) => {
    const set = [...unit.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)];
    const names = set.map(([, variable = '']) => variable);
    t.strictSame(
      names.filter((variable) => !isKnown(variable)),
      [],
    );
    for (const [, variable = '', value = ''] of set) {
      const [, credential] = /^%d\/(.+)$/.exec(value) ?? [];
      if (credential !== undefined) t.match(unit, `LoadCredential=${credential}:`, variable);
    }
    const [, script = ''] = /^ExecStart=\S+ (\S+)$/m.exec(unit) ?? [];
    t.ok(existsSync(join(ROOT, script)));
  });
}

const ANALYZE = 'systemd-analyze';
if (spawnSync(ANALYZE, ['--version']).status === 0) {
  t.test('systemd accepts the units', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-units-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const files = UNITS.map((name) => {
      // It checks that the program exists.
      const unit = read(`ops/deploy/${name}`).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
      writeFileSync(join(folder, name), unit);
      return join(folder, name);
    });
    const { status, stderr } = spawnSync(ANALYZE, ['verify', ...files], { encoding: 'utf8' });
    t.equal(stderr, '');
    t.equal(status, 0);
  });
} else {
  t.comment('not tested: systemd is not installed');
}
