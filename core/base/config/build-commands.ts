/** The commands that build the pages for browsers; `npm ci` also runs them. */

export const ADMIN_APP_BUILD = 'npm run build:app';
export const DOCS_BUILD = 'npm run build:docs';
