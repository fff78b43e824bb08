/** Anfragen: ihr Inhalt, ihre Adresse und ihre Kopfzeilen. */
import type { SomeReasons } from '../../reason-texts.ts';

export const request = {
  body_stalled:
    'Von der Anfrage kam %{seconds} Sekunden lang nichts mehr. Erweiterungen von Chunks werden nicht verstanden; senden Sie sie mit Content-Length.',
  body_too_large: 'Die Anfrage ist größer als %{limit} Byte.',
  body_nested_too_deep: 'Die Anfrage ist tiefer als %{limit} Ebenen geschachtelt.',
  body_object_too_large:
    'Die Anfrage enthält ein Objekt mit mehr als %{limit} Teilen (BODY_MAX_MEMBERS).',
  body_has_too_many_values: 'Die Anfrage enthält mehr als %{limit} Werte (BODY_MAX_VALUES).',
  form_part_too_large: 'Der Teil %{name} vor der Datei ist zu groß.',
  form_has_too_many_parts: 'Vor der Datei stehen zu viele Teile.',
  form_without_file: 'Die Anfrage enthält keine Datei.',
  form_part_after_file: 'Der Teil %{name} muss vor der Datei stehen, zu der er gehört.',
  form_malformed: 'Die Anfrage ist kein wohlgeformtes multipart/form-data: %{fault}.',
  body_length_ambiguous: 'Die Länge der Anfrage ist mehrdeutig angegeben.',
  body_json_invalid_near: 'Die Anfrage ist nahe Byte %{at} kein gültiges JSON.',
  body_json_ends_early: 'Die Anfrage endet mitten im JSON.',
  body_member_proto: 'Die Anfrage enthält den Namen __proto__, der nicht erlaubt ist.',
  body_not_utf8: 'Die Anfrage ist nicht in UTF-8 geschrieben.',
  body_number_beyond_exact_range:
    'Die Zahl %{shown} an Stelle %{start} ist größer, als JSON Zahlen genau schreiben kann; senden Sie sie als Text.',
  body_json_invalid:
    'Die Anfrage ist an Stelle %{position} kein gültiges JSON (Zeile %{line}, Spalte %{column}): %{message}.',
  body_json_parser_message: 'Die Anfrage ist kein gültiges JSON: %{message}.',
  too_many_description_readers: 'Zu viele fragen gleichzeitig nach Beschreibungen.',
  refresh_token_missing: '„refresh_token“ fehlt.',
  cookie_missing: 'Die Anfrage enthält kein solches Cookie.',
  json_object_body_expected: 'Die Anfrage muss ein Objekt sein.',
  two_tokens: 'Die Anfrage enthält ein Token in der Kopfzeile und ein anderes in der Adresse.',
  request_of_other_origin:
    'Eine Seite anderer Herkunft hat diese Anfrage mit Ihrem Cookie gesendet; siehe CORS_ORIGIN.',
  cookie_request_without_content_type:
    'Eine Anfrage mit dem Cookie einer Sitzung braucht einen Content-Type, etwa application/json.',
  second_factor_demanded:
    'Eine Richtlinie verlangt einen zweiten Faktor: POST /users/me/tfa/generate und /users/me/tfa/enable richten ihn ein.',
  only_administrators: 'Das darf nur, wer verwaltet.',
  idempotency_key_invalid:
    'Die Kopfzeile %{name} muss 1 bis 255 sichtbare ASCII-Zeichen ohne Leerzeichen haben.',
  keys_or_query_missing: 'Die Anfrage braucht entweder „keys“ oder „query“.',
  keys_list_expected: '„keys“ muss eine Liste von Schlüsseln sein.',
  search_text_expected: '„search“ muss ein Text sein.',
  search_empty_in_write: '„search“ darf beim Schreiben nicht leer sein.',
  write_member_unknown: 'Die Anfrage nimmt kein „%{member}“.',
  update_body_shape:
    'Die Anfrage muss eine Liste von Einträgen sein, oder ein Objekt mit „keys“ oder „query“ und „data“.',
  delete_body_shape:
    'Die Anfrage muss eine Liste von Schlüsseln sein, oder ein Objekt mit „keys“ oder „query“.',
  route_parameter_unknown: '„%{name}“ gibt es hier nicht; möglich sind: %{known}',
  parameter_name_impossible: '„%{name}“: So kann kein Parameter oder Feld heißen.',
  parameter_brackets_unbalanced: 'Die Klammern von „%{name}“ gehen nicht auf.',
  too_many_parameters: 'Die Adresse hat mehr als %{limit} Parameter.',
  parameter_has_too_many_parts:
    '„%{name}“ hat mehr als %{limit} Teile; senden Sie eine Liste als JSON, mit Kommas oder mit SEARCH.',
  search_body_object_expected: 'Die Anfrage mit SEARCH muss ein Objekt sein.',
  search_member_unknown: 'Die Anfrage mit SEARCH nimmt „query“ und „keys“, nicht „%{member}“.',
  search_query_object_expected: '„query“ muss ein Objekt sein.',
  search_query_too_large: '„query“ hat mehr als %{limit} Parameter.',
  search_keys_list_expected: '„keys“ muss eine Liste sein.',
  length_out_of_range: '„length“ muss eine ganze Zahl von 1 bis %{limit} sein.',
  cache_processes_unconfirmed: 'Diese Prozesse haben es nicht bestätigt: %{processes}.',
  body_too_slow: 'Die Anfrage kam langsamer als %{bytesPerSecond} Byte pro Sekunde.',
  body_part_too_large: '%{part} darf höchstens %{limit} Byte groß sein (%{variable}).',
  headers_too_large:
    'Zeile und Kopfzeilen der Anfrage sind größer als %{limit} Byte; lange Abfragen werden mit SEARCH gesendet.',
  if_match_of_several_items:
    'If-Match gilt nur, wo ein einzelner Eintrag über seinen Schlüssel geschrieben wird.',
} satisfies SomeReasons;
