/** Anmelden und was dazugehört. */
export const signIn = {
  title: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  showPassword: 'Passwort zeigen',
  hidePassword: 'Passwort verbergen',
  otp: 'Einmalpasswort',
  otpHelp: 'Sechs Ziffern aus Ihrer Authenticator-App',
  submit: 'Anmelden',
  forgotten: 'Passwort vergessen?',
  forgottenTitle: 'Passwort zurücksetzen',
  forgottenHelp: 'Wenn es ein Konto mit dieser Adresse gibt, senden wir Ihnen einen Link.',
  forgottenSubmit: 'Link senden',
  forgottenDone:
    'Wenn es ein Konto mit dieser Adresse gibt, haben wir einen Link gesendet. Er gilt einen Tag.',
  toSignIn: 'Zur Anmeldung',
  resetTitle: 'Neues Passwort wählen',
  resetSubmit: 'Passwort festlegen',
  resetDone: 'Ihr neues Passwort ist festgelegt. Melden Sie sich damit an.',
  inviteTitle: 'Einladung annehmen',
  inviteHelp: 'Wählen Sie das Passwort, mit dem Sie sich anmelden werden.',
  inviteSubmit: 'Annehmen',
  inviteDone: 'Willkommen! Melden Sie sich mit Ihrem neuen Passwort an.',
  verified: 'Ihre Adresse ist bestätigt. Melden Sie sich an.',
  firstName: 'Vorname',
  lastName: 'Nachname',
  register: 'Konto anlegen',
  registerHelp:
    'Wir senden Ihnen eine Mail, mit der Sie Ihre Adresse bestätigen. Danach können Sie sich anmelden.',
  registerHelpNow: 'Sie können sich sofort anmelden.',
  registerSubmit: 'Konto anlegen',
  registerMail:
    'Wir haben Ihnen eine Mail gesendet. Bestätigen Sie Ihre Adresse innerhalb einer Woche mit dem Link darin. Wenn die Adresse schon ein Konto hat, steht das in der Mail.',
  registerDone:
    'Melden Sie sich mit Adresse und Passwort an. Wenn die Adresse vorher schon ein Konto hatte, ist dessen Passwort unverändert.',
  registerRefused: 'Diese Adresse lässt sich hier nicht registrieren.',
  registerClosed: 'Die Registrierung ist geschlossen. Bitten Sie um eine Einladung.',
  badPassword:
    'Dieses Passwort erfüllt die Anforderungen des Projekts nicht. Wählen Sie ein längeres mit verschiedenen Zeichenarten.',
  deadLink:
    'Dieser Link ist abgelaufen oder wurde schon benutzt. Wenn Ihre Adresse schon bestätigt ist, melden Sie sich an.',
  noToken: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal aus der Mail.',
  badLink: 'Dieser Link ist abgelaufen oder wurde schon benutzt.',
  tfaTitle: 'Zwei-Faktor-Anmeldung einrichten',
  tfaHelp: 'Ihre Organisation verlangt einen zweiten Faktor. Bestätigen Sie zuerst Ihr Passwort.',
  tfaSecret:
    'Scannen Sie den Code mit Ihrer Authenticator-App oder tippen Sie den Schlüssel ein. Geben Sie dann den sechsstelligen Code der App ein.',
  qrCode: 'QR-Code des Schlüssels',
  tfaOpen: 'In einer Authenticator-App auf diesem Gerät öffnen',
  tfaSubmit: 'Einschalten',
  tfaDone: 'Die Zwei-Faktor-Anmeldung ist eingeschaltet.',
  next: 'Weiter',
  copy: 'Schlüssel kopieren',
  noAppTitle: 'Kein Zugang zur App',
  noAppHelp:
    'Sie sind angemeldet, aber Ihre Richtlinien enthalten keinen Zugang zur App. Bitten Sie die Verwaltung dieses Projekts darum.',
};
