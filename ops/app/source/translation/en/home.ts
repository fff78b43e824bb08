/** The home of the App. */
export const home = {
  title: 'Home',
  collections: 'Collections',
  count_exact: '%{count} item |||| %{count} items',
  count_about: 'about %{count} item |||| about %{count} items',
  count_more: 'more than %{count} item |||| more than %{count} items',
  changes:
    '%{count} change in the last %{days} days |||| %{count} changes in the last %{days} days',
  more: 'Show one more |||| Show %{smart_count} more',
  pinned: 'Pinned',
  recent: 'Continue',
  noRecent: 'Pages that you open appear here.',
  jobs: 'Running now',
  noJobs: 'No job is waiting or running.',
  allJobs: 'All jobs',
  needs: 'Needs your attention',
  failed:
    'A job has failed in the last 7 days |||| %{smart_count} jobs have failed in the last 7 days',
  manyFailed:
    'More than one job has failed in the last 7 days |||| More than %{smart_count} jobs have failed in the last 7 days',
  paused: 'The queue “%{queue}” is paused',
  draining: 'The queue “%{queue}” accepts no jobs',
  dismiss: 'Dismiss',
  look: 'View',
  lookAt: 'View: %{name}',
  request: 'Your first request',
  requestHelp: 'Your programs read this data through the API. Replace TOKEN with an access token.',
  showRequest: 'Show the request',
  hideRequest: 'Hide the request',
  nothing: 'Nothing to show yet',
  emptyText:
    'Your database has no collections yet. A collection is a table with its items. Start with one of these steps.',
  import: 'Import a file',
  importText:
    'Upload a CSV, JSON or NDJSON file. Sluice creates a collection with the matching fields.',
  importStart: 'Choose a file',
  model: 'Create a collection',
  modelText: 'Define the fields yourself. You can change all of them later.',
  modelStart: 'New collection',
  docs: 'Read the documentation',
  docsText: 'It explains the API, permissions and imports, with examples.',
  docsStart: 'Open the documentation',
};
