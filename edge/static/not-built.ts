/** What browsers get as long as the pages that they ask for are not built. */
import { StaticFile } from './static-file.ts';

/**
 * A page that says how to build them.
 * @param title what is not built: `The Admin App`
 * @param command what builds it
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
