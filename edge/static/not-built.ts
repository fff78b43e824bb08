/** The page that browsers receive while the requested pages are not built. */
import { StaticFile } from './static-file.ts';

/**
 * A page that explains how to build them.
 * @param title of the missing pages: `The Admin App`
 * @param command that builds them
 */
export function notBuiltPage(title: string, command: string): StaticFile {
  return new StaticFile(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice</title>
<h1>${title} is not built</h1>
<p>This command builds it; then load this page again:</p>
<pre>${command}</pre>
</html>
`,
  );
}
