/** Was schiefging und was hilft. */
export const failure = {
  askAdministrator: 'Wenn Sie Zugriff brauchen, fragen Sie die Administration.',
  noMail:
    'Der Mailversand ist hier nicht eingerichtet, deshalb ging keine Nachricht hinaus. Die Administration richtet ihn mit EMAIL_TRANSPORT ein.',
  credentials: 'E-Mail-Adresse oder Passwort ist falsch.',
  otp: 'Das Einmalpasswort ist falsch oder schon benutzt. Warten Sie auf das nächste.',
  tooMany: 'Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
  notUnique: 'Es gibt schon einen Eintrag mit diesem Wert.',
  foreignKey: 'Andere Einträge verweisen darauf, oder das Ziel des Verweises gibt es nicht.',
  changedMeanwhile: 'Jemand anderes hat diesen Eintrag inzwischen geändert.',
  unavailable: 'Der Server kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.',
  sessionEnded: 'Ihre Sitzung ist zu Ende. Melden Sie sich wieder an.',
  tooLarge: 'Das ist größer, als der Server annimmt.',
  network:
    'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  refused: 'Der Server hat das abgelehnt.',
  unknown: 'In der App ist etwas schiefgegangen.',
};
