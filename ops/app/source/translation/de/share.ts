/** Anfragen, die für Programme kopiert werden. */
export const share = {
  title: 'Kopieren als',
  listHelp: 'Diese Anfrage liest, was die Liste zeigt: Filter, Sortierung, Spalten und Seite.',
  itemHelp: 'Diese Anfrage liest den Eintrag.',
  tokenHelp:
    'Setzen Sie ein Token in die Variable TOKEN. Die Anfrage hat die Rechte seines Benutzers.',
  languages: 'Format',
  copy: '%{language} kopieren',
  copied: 'Kopiert.',
  copyLink: 'Link zu dieser Seite kopieren',
  linkCopied: 'Link kopiert. Er öffnet diese Seite mit ihrem Filter.',
  noGraphql:
    'GraphQL unterstützt einen Namen in dieser Anfrage nicht. Wählen Sie ein anderes Format.',
};
