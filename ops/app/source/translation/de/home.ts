/** Die Startseite der App. */
export const home = {
  title: 'Start',
  collections: 'Sammlungen',
  count_exact: '%{count} Eintrag |||| %{count} Einträge',
  count_about: 'etwa %{count} Eintrag |||| etwa %{count} Einträge',
  count_more: 'mehr als %{count} Eintrag |||| mehr als %{count} Einträge',
  changes:
    '%{count} Änderung in den letzten %{days} Tagen |||| %{count} Änderungen in den letzten %{days} Tagen',
  more: 'Eine weitere zeigen |||| %{smart_count} weitere zeigen',
  pinned: 'Angeheftet',
  recent: 'Weitermachen',
  noRecent: 'Hier stehen bald die Seiten, die Sie öffnen.',
  jobs: 'Läuft gerade',
  noJobs: 'Kein Auftrag wartet oder läuft.',
  allJobs: 'Alle Aufträge',
  needs: 'Braucht Ihre Aufmerksamkeit',
  failed:
    'Ein Auftrag ist in den letzten 7 Tagen fehlgeschlagen |||| %{smart_count} Aufträge sind in den letzten 7 Tagen fehlgeschlagen',
  manyFailed:
    'Mehr als ein Auftrag ist in den letzten 7 Tagen fehlgeschlagen |||| Mehr als %{smart_count} Aufträge sind in den letzten 7 Tagen fehlgeschlagen',
  paused: 'Die Warteschlange „%{queue}“ ist angehalten',
  draining: 'Die Warteschlange „%{queue}“ nimmt keine Aufträge an',
  dismiss: 'Ausblenden',
  look: 'Ansehen',
  lookAt: 'Ansehen: %{name}',
  request: 'Ihre erste Anfrage',
  requestHelp:
    'Ihre Programme lesen diese Daten über die API. Setzen Sie das Token eines Benutzers in TOKEN.',
  showRequest: 'Anfrage zeigen',
  hideRequest: 'Anfrage ausblenden',
  nothing: 'Noch nichts zu sehen',
  emptyText:
    'Ihre Datenbank hat noch keine Sammlungen. Eine Sammlung ist eine Tabelle mit ihren Einträgen. Beginnen Sie mit einem dieser Schritte.',
  import: 'Datei importieren',
  importText:
    'Laden Sie eine Datei in CSV, JSON oder NDJSON hoch. Sluice legt eine Sammlung mit passenden Feldern an.',
  importStart: 'Datei wählen',
  model: 'Sammlung anlegen',
  modelText: 'Legen Sie die Felder selbst fest. Sie können alle später ändern.',
  modelStart: 'Neue Sammlung',
  docs: 'Dokumentation lesen',
  docsText: 'Sie erklärt API, Rechte und Importe an Beispielen.',
  docsStart: 'Dokumentation öffnen',
};
