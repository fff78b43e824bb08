/** Einträge von Sluice selbst: Personen, Rollen, Ordner, Einstellungen. */
import type { SomeReasons } from '../../reason-texts.ts';

export const system = {
  only_administrators_change_administrators:
    'Wer verwaltet, wird nur von anderen geändert, die verwalten.',
  variable_unknown: '„%{text}“ ist keine Variable.',
  text_empty: '„%{name}“ darf nicht leer sein.',
  file_type_missing: 'Ohne Inhalt braucht eine Datei „type“.',
  storage_of_new_files_only:
    'Das Feld „storage“ von „system_files“ lässt sich nur bei neuen Dateien angeben.',
  file_type_given_by_content: 'Der Typ einer Datei ist der ihres Inhalts.',
  name_empty: 'Ein Name fehlt.',
  folder_inside_itself: 'Ein Ordner kann nicht in sich selbst liegen.',
  presets_object_expected: '„presets“ muss ein Objekt sein.',
  fields_list_expected: '„fields“ muss eine Liste von Namen sein.',
  action_unknown: '„action“ muss eines davon sein: %{actions}',
  ip_access_invalid: '„%{wrong}“ ist weder eine Adresse noch ein Bereich noch ein Block.',
  role_above_itself: 'Eine Rolle kann nicht über sich selbst stehen.',
  password_policy_invalid: 'Das ist kein regulärer Ausdruck.',
  second_factor_secret_not_written:
    '„tfa_secret“ lässt sich nicht schreiben; einen zweiten Faktor richtet jede Person selbst ein.',
  only_administrators_write_fields: '„%{fields}“ schreibt nur, wer verwaltet.',
  token_text_expected: '„token“ muss ein Text sein.',
  current_password_needed:
    'Die eigene E-Mail-Adresse oder das eigene Passwort zu ändern verlangt „%{member}“ oder eine Anmeldung in den letzten 15 Minuten.',
  foreign_prefix:
    '„%{collection}“: Sammlungen des Systems beginnen hier mit system_, nicht mit %{prefix}.',
  only_administrators_appoint_administrators: 'Wer verwaltet, bestimmen nur andere, die verwalten.',
  forbidden_or_missing: 'Ihnen fehlt das Recht, oder das Objekt existiert nicht.',
  stored_json_invalid: 'Das Gespeicherte lässt sich nicht lesen: %{message}',
  ip_access_empty:
    'Das enthält keine Adresse; nur ganz ohne Angabe gilt die Richtlinie von überall.',
  named_role_above_itself: 'Die Rolle %{name} stünde über sich selbst.',
} satisfies SomeReasons;
