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
  forgottenHelp:
    'Wir schicken Ihnen eine Mail mit einem Link, wenn es ein Konto mit dieser Adresse gibt.',
  forgottenSubmit: 'Link schicken',
  forgottenDone:
    'Wenn es ein Konto mit dieser Adresse gibt, ist eine Mail unterwegs. Ihr Link gilt einen Tag.',
  toSignIn: 'Zur Anmeldung',
  resetTitle: 'Neues Passwort wählen',
  resetSubmit: 'Passwort setzen',
  resetDone: 'Ihr neues Passwort ist gesetzt. Melden Sie sich damit an.',
  inviteTitle: 'Einladung annehmen',
  inviteHelp: 'Wählen Sie das Passwort, mit dem Sie sich anmelden werden.',
  inviteSubmit: 'Annehmen',
  inviteDone: 'Willkommen! Melden Sie sich mit Ihrem neuen Passwort an.',
  verified: 'Ihre Adresse ist bestätigt. Melden Sie sich an.',
  firstName: 'Vorname',
  lastName: 'Nachname',
  register: 'Konto anlegen',
  registerHelp:
    'Wir schicken Ihnen eine Mail, mit der Sie Ihre Adresse bestätigen. Danach können Sie sich anmelden.',
  registerHelpNow: 'Sie können sich gleich damit anmelden.',
  registerSubmit: 'Konto anlegen',
  registerMail:
    'Eine Mail ist unterwegs. Folgen Sie dem Link darin, um Ihre Adresse zu bestätigen; er gilt eine Woche. Wenn die Adresse schon ein Konto hat, steht das in der Mail.',
  registerDone:
    'Melden Sie sich mit Adresse und Passwort an. Wenn die Adresse vorher schon ein Konto hatte, ist dessen Passwort unverändert.',
  registerRefused: 'Diese Adresse lässt sich hier nicht registrieren.',
  registerClosed: 'Hier legt man Konten nicht selbst an. Bitten Sie um eine Einladung.',
  badPassword:
    'Dieses Passwort erfüllt die Regeln des Projekts nicht. Wählen Sie ein längeres aus verschiedenen Arten von Zeichen.',
  deadLink:
    'Dieser Link gilt nicht mehr: Er ist zu alt oder schon benutzt. Wenn Ihre Adresse schon bestätigt ist, melden Sie sich an.',
  noToken: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal aus der Mail.',
  badLink: 'Dieser Link gilt nicht mehr: Er ist zu alt oder schon benutzt.',
  tfaTitle: 'Zwei-Faktor-Anmeldung einrichten',
  tfaHelp: 'Ihre Organisation verlangt einen zweiten Faktor. Bestätigen Sie zuerst Ihr Passwort.',
  tfaSecret:
    'Tragen Sie diesen Schlüssel in Ihre Authenticator-App ein und geben Sie die sechs Ziffern ein, die sie zeigt.',
  tfaOpen: 'In einer Authenticator-App auf diesem Gerät öffnen',
  tfaSubmit: 'Einschalten',
  tfaDone: 'Die Zwei-Faktor-Anmeldung ist eingeschaltet.',
  next: 'Weiter',
  copy: 'Schlüssel kopieren',
  noAppTitle: 'Dieses Konto darf die App nicht benutzen',
  noAppHelp:
    'Sie sind angemeldet, aber keine Ihrer Richtlinien erlaubt die App. Bitten Sie die Verwaltung dieses Projekts darum.',
};
