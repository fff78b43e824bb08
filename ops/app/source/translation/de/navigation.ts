/** Das Menü der Sammlungen. */
export const navigation = {
  collections: 'Sammlungen',
  search: 'Sammlung suchen',
  nothingFound: 'Keine passenden Sammlungen.',
  none: 'Es gibt noch keine Sammlungen.',
  noneForYou: 'Sie haben auf keine Sammlung Zugriff. Bitten Sie die Verwaltung darum.',
  showHidden: 'Verborgene Sammlungen zeigen',
  hideHidden: 'Verborgene Sammlungen ausblenden',
  welcome: 'Inhalte',
  welcomeHelp: 'Wählen Sie eine Sammlung, um ihre Einträge zu sehen.',
  open: '%{name} aufklappen',
  fold: '%{name} zuklappen',
};
