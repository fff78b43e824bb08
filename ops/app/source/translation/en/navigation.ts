/** The menu of collections. */
export const navigation = {
  collections: 'Collections',
  search: 'Find a collection',
  nothingFound: 'No matching collections.',
  none: 'No collections yet.',
  noneForYou: 'You don’t have access to any collection. Ask an administrator.',
  showHidden: 'Show hidden collections',
  hideHidden: 'Hide hidden collections',
  welcome: 'Content',
  welcomeHelp: 'Choose a collection to see its items.',
  open: 'Open %{name}',
  fold: 'Close %{name}',
};
