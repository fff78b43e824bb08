/** Anmeldung, Konten und Rechte. */
import type { SomeReasons } from '../../reason-texts.ts';

export const accounts = {
  job_user_inactive: 'Das Konto, zu dem der Auftrag gehört, ist nicht mehr aktiv.',
  no_policy_at_job_address: 'An der Adresse des Auftrags gilt keine Richtlinie dieser Person.',
  url_expired: 'Dieser Link ist abgelaufen.',
  url_signature_invalid: 'Die Signatur dieses Links ist ungültig.',
  email_filter_only_email: '„%{place}“ kennt nur „email“, nicht „%{other}“.',
  last_administrator: 'Danach gäbe es niemanden mehr, der verwalten darf.',
  url_not_allowed: '„%{member}“ ist keine Adresse, die hier verwendet werden darf.',
  current_password_wrong: '„%{member}“ ist nicht Ihr Passwort.',
  too_many_passwords_checked:
    'Gerade werden zu viele Passwörter geprüft. Versuchen Sie es gleich noch einmal.',
  password_too_long: 'Ein Passwort darf höchstens %{limit} Byte lang sein.',
  second_factor_in_use: 'Es gibt bereits einen zweiten Faktor.',
  second_factor_secret_not_generated:
    'Das hat länger als zehn Minuten gedauert. Bitte beginnen Sie noch einmal.',
  second_factor_code_wrong: 'Das ist nicht der aktuelle Code, oder er wurde schon benutzt.',
  second_factor_not_in_use: 'Es gibt keinen zweiten Faktor.',
  registration_of_administrators:
    'Mit dieser Rolle dürften alle verwalten, die sich selbst registrieren.',
  no_permission_for_collection:
    'Das dürfen Sie mit der Sammlung „%{collection}“ nicht, oder es gibt sie nicht.',
  no_permission_for_field:
    'Das dürfen Sie mit dem Feld „%{field}“ der Sammlung „%{collection}“ nicht, oder es gibt das Feld nicht.',
  no_permission_for_relation:
    'Das dürfen Sie mit der Beziehung des Feldes „%{field}“ der Sammlung „%{collection}“ nicht, oder es gibt sie nicht.',
  no_permission_for_fields:
    'Das dürfen Sie mit den Feldern %{fields} der Sammlung „%{collection}“ nicht, oder es gibt sie nicht.',
} satisfies SomeReasons;
