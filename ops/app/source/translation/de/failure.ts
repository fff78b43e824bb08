/** Was schiefging und was hilft. */
export const failure = {
  askAdministrator: 'Wenn Sie Zugriff brauchen, fragen Sie die Administration.',
  noMail:
    'Der Mailversand ist hier nicht eingerichtet, deshalb ging keine Nachricht hinaus. Die Administration richtet ihn mit EMAIL_TRANSPORT ein.',
  credentials: 'E-Mail-Adresse oder Passwort ist falsch.',
  otp: 'Das Einmalpasswort ist falsch oder schon benutzt. Warten Sie auf das nächste.',
  tooMany: 'Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
  notUnique: 'Ein anderer Eintrag hat diesen Wert bereits.',
  foreignKey:
    'Andere Einträge verweisen auf diesen Eintrag, oder der Eintrag, auf den er verweist, existiert nicht.',
  changedMeanwhile: 'Eine andere Person hat diesen Eintrag geändert.',
  unavailable: 'Der Server kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.',
  sessionEnded: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an.',
  tooLarge: 'Der Inhalt ist zu groß für den Server.',
  network:
    'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  refused: 'Der Server hat die Anfrage abgelehnt.',
  unknown: 'In der App ist etwas schiefgegangen.',
};
