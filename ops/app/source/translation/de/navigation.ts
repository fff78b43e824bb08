/** Das Menü der Sammlungen. */
export const navigation = {
  collections: 'Sammlungen',
  search: 'Sammlung suchen',
  nothingFound: 'Keine Sammlung heißt so.',
  none: 'Es gibt noch keine Sammlungen.',
  noneForYou: 'Sie dürfen noch keine Sammlung sehen. Bitten Sie die Administration um Zugang.',
  showHidden: 'Versteckte Sammlungen zeigen',
  hideHidden: 'Versteckte Sammlungen ausblenden',
  welcome: 'Inhalte',
  welcomeHelp: 'Wählen Sie eine Sammlung, um ihre Einträge zu sehen.',
  open: '%{name} aufklappen',
  fold: '%{name} zuklappen',
};
