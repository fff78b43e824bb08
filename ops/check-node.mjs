/**
 * Says which Node is needed, in a file that any Node can read: one without types cannot read `start.ts`.
 * `npm ci` brings the right one, unless it leaves out optional packages.
 */
const NEEDED = '22.18';
const [major, minor] = process.versions.node.split('.').map(Number);

if (major !== 22 || minor < 18) {
  console.error(
    `Sluice needs Node 22 from ${NEEDED} on, and this is ${process.versions.node}: npm ci brings it ` +
      'as an optional package; without these, put it into PATH',
  );
  process.exitCode = 1;
}
