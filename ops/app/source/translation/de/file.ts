/** Dateien in Formularen. */
export const file = {
  dropOne: 'Eine Datei hier ablegen',
  dropMany: 'Dateien hier ablegen',
  choose: 'Von diesem Gerät wählen',
  library: 'Aus der Bibliothek wählen',
  uploading: '%{name} wird hochgeladen',
  percent: '%{percent} %',
  goOn: 'Fortsetzen',
  giveUp: '%{name} abbrechen',
  download: 'Herunterladen',
  details: 'Angaben',
  replace: 'Inhalt ersetzen',
  replaced: 'Inhalt ersetzt',
  takeOut: 'Entfernen',
  none: 'Keine Datei',
  moreUploads: '%{smart_count} weitere Datei |||| %{smart_count} weitere Dateien',
  focalPoint: 'Bildmittelpunkt bei %{x}, %{y}. Mit den Pfeiltasten verschieben.',
};
