/** The menu of collections. */
export const navigation = {
  collections: 'Collections',
  search: 'Find a collection',
  nothingFound: 'No collection is called like that.',
  none: 'There are no collections yet.',
  noneForYou: 'You may not see any collection yet. Ask an administrator for access.',
  showHidden: 'Show hidden collections',
  hideHidden: 'Hide hidden collections',
  welcome: 'Content',
  welcomeHelp: 'Choose a collection to see its items.',
  open: 'Open %{name}',
  fold: 'Close %{name}',
};
