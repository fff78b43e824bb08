/** Importe und Exporte. */
import type { SomeReasons } from '../../reason-texts.ts';

export const transfer = {
  export_format_unknown: '„export“ muss eines davon sein: %{formats}',
  max_errors_without_skip: '„max_errors“ braucht „on_error=skip“.',
  match_with_insert: '„match“ widerspricht „mode=insert“.',
  create_with_update: '„create“ widerspricht „mode=update“.',
  escape_without_quote: '„escape“ braucht ein „quote“.',
  same_characters: '„%{name}“ und „%{other}“ sind dasselbe Zeichen.',
  escape_same_as_other: '„escape“ und „%{other}“ sind dasselbe Zeichen.',
  option_of_csv_only: '„%{name}“ gibt es nur für CSV-Dateien, und das ist %{format}.',
  query_and_form_differ: 'Adresse und Formular sagen Verschiedenes über „%{name}“.',
  import_collection_without_key:
    'Einträge von „%{name}“ haben keinen Schlüssel und lassen sich nicht importieren.',
  match_in_created_collection:
    'In einer Sammlung, die erst angelegt wird, kann „match“ nur „id“ sein.',
  header_has_too_many_columns:
    'Die erste Zeile hat mehr als %{columnsMax} Spalten; so viele hat keine Tabelle.',
  row_has_too_many_cells: 'Eine Zeile hat mehr als %{columnsMax} Zellen.',
  import_field_unknown: 'Ein Feld %{field} gibt es nicht.',
  import_field_without_column: 'Das Feld %{field} hat keine eigene Spalte.',
  import_field_computed: 'Das Feld %{field} bekommt seinen Wert von der Datenbank.',
  import_field_numbered: 'Das Feld %{field} bekommt seinen Wert von der Datenbank.',
  row_breaks_rule: 'Eine Bedingung der Datenbank ist nicht erfüllt.',
  value_misfits_field: 'Dieser Wert passt nicht in das Feld.',
  link_to_hidden_item: 'Diesen Eintrag gibt es nicht, oder Sie dürfen ihn nicht verwenden.',
  header_column_without_name: 'Die erste Zeile hat eine Spalte ohne Namen.',
  value_missing_without_default: 'Dieses Feld braucht einen Wert.',
  check_does_not_hold: 'Eine Bedingung der Datenbank ist nicht erfüllt: %{name}',
  no_such_item_in: 'In %{collection} gibt es diesen Eintrag nicht.',
  no_item_with_this_key: 'Einen Eintrag mit diesem Schlüssel gibt es nicht.',
  value_taken: 'Ein anderer Eintrag hat diesen Wert bereits.',
  value_taken_in_file: 'Eine frühere Zeile der Datei hat diesen Wert schon.',
  no_item_and_numbered_by_database:
    'Diesen Schlüssel hat kein Eintrag, und neue bekommen ihre Nummer von der Datenbank.',
  row_without_match_value:
    'Über dieses Feld wird der Eintrag gefunden; es braucht also einen Wert.',
  no_item_to_update: 'Einen Eintrag mit diesem Schlüssel, der sich ändern ließe, gibt es nicht.',
  too_many_secrets_in_file: 'Eine Datei kann höchstens %{limit} Geheimnisse mitbringen.',
  no_such_unique_key:
    'Kein eindeutiger Schlüssel besteht aus %{match}. Eindeutige Schlüssel: %{keys}.',
  only_links_to_items:
    'Eine Datei darf auf diese Einträge verweisen, sie aber weder anlegen noch ändern.',
  header_fills_field_twice: 'Die erste Zeile nennt %{other} und %{name}, die dasselbe Feld füllen.',
  path_with_empty_member: 'Der Pfad %{name} enthält einen leeren Teil.',
  path_through_no_relation: 'Der Pfad %{name} geht über %{before}, das keine Beziehung ist.',
  path_through_any_collection:
    'Der Pfad %{name} geht über %{before}, das auf Einträge beliebiger Sammlungen verweist: Seine Zellen nehmen JSON-Objekte.',
  path_through_many_items:
    'Der Pfad %{name} geht über %{before}, eine Beziehung zu vielen Einträgen: Seine Zellen nehmen JSON-Listen.',
  path_field_unknown: 'Einträge von %{before} haben kein Feld %{segment}.',
  members_fill_field_twice: 'Die Zeile füllt das Feld %{name} zweimal.',
  charset_unknown:
    'Der Typ der Datei nennt eine Zeichenkodierung, die es nicht gibt: charset=%{charset}.',
  import_file_type_unknown:
    'Eine Datei muss CSV, TSV, JSON, NDJSON, XLSX oder Parquet sein: von diesem Typ, oder mit der Endung %{names}, auch mit .gz.',
  option_values_expected: '„%{name}“ muss eines davon sein: %{values}.',
  option_character_expected: '„%{name}“ muss ein einzelnes Zeichen sein, aber kein Zeilenumbruch.',
  new_field_cannot_refer:
    'Das neue Feld „%{field}“ kann sich nicht auf Einträge von %{collection} beziehen.',
  mirror_of_prefix:
    'Ein Spiegel braucht genau eine Datei; mit „prefix“ würde jedes Objekt die Zeilen der anderen löschen.',
  option_relations_expected:
    '„%{name}“ muss ein JSON-Objekt sein, das Feldern Sammlungen zuordnet.',
  option_types_expected:
    '„%{name}“ muss ein JSON-Objekt sein, das Feldern Typen zuordnet: %{values}.',
  option_formats_expected:
    '„%{name}“ muss ein JSON-Objekt sein, das Feldern „decimal“, „thousands“ und „date_format“ zuordnet.',
  option_share_expected: '„%{name}“ muss ein Anteil von 0 bis 0.5 sein, etwa 0.02.',
  option_label_expected: '„%{name}“ muss ein Text von höchstens 255 Zeichen sein.',
  option_of_new_collection: '„%{name}“ braucht „create“.',
  named_column_missing: 'Die Optionen nennen die Spalte %{name}, die der Datei fehlt.',
  value_misfits_proposed_type: 'Fast alle anderen Werte der Spalte haben einen anderen Typ.',
  option_thousands_expected:
    '„%{name}“ muss ein Zeichen zwischen Gruppen von Ziffern sein, etwa ein Punkt, oder „space“.',
  number_misgrouped: 'Die Ziffern stehen nicht in Gruppen, wie „thousands=%{thousands}“ sagt.',
  date_format_half_missing: 'In „date_format“ braucht „h“ ein „A“ und „A“ ein „h“.',
  option_field_names_expected: '„%{name}“ muss Namen von Feldern enthalten, mit Kommas dazwischen.',
  option_names_field_twice: '„%{name}“ muss jedes Feld einmal nennen.',
  option_count_expected: '„%{name}“ muss eine ganze Zahl ab 0 sein.',
  option_mapping_expected: '„%{name}“ muss ein JSON-Objekt aus Spalten und ihren Feldern sein.',
  option_constants_expected: '„%{name}“ muss ein JSON-Objekt sein, das Feldern ihre Werte gibt.',
  constant_field_in_file: 'Die Datei hat das Feld %{field}, das „constants“ füllt.',
  reference_without_relation:
    'Das Feld %{field} verweist nicht durch einen einzelnen Schlüssel auf Einträge einer Sammlung.',
  reference_not_comparable: 'Die Werte von %{by} können die Einträge von %{field} nicht finden.',
  no_item_with_this_value: 'Kein Eintrag hat diesen Wert in %{by}.',
  several_items_with_this_value: 'Mehrere Einträge haben diesen Wert in %{by}.',
  keys_of_items_expected: 'Der Wert muss eine Liste von Werten sein, die Einträge finden.',
  option_maps_field_twice: '„%{name}“ führt zwei Spalten zu %{field}.',
  option_encoding_expected:
    '„%{name}“ muss eine Zeichenkodierung nennen, etwa utf-8, windows-1252 oder utf-16le.',
  option_time_zone_expected: '„%{name}“ muss eine Zeitzone sein, etwa Europe/Berlin oder +02:00.',
  option_date_format_expected: '„%{name}“ muss eine Schreibweise von Daten sein, etwa DD.MM.YYYY.',
  option_unknown: 'Ein Import kennt %{name} nicht.',
  option_text_expected: '„%{name}“ muss einmal angegeben sein, als Text.',
  date_format_letters_unknown: '„date_format“ kennt %{letters} nicht.',
  date_format_part_twice: '„date_format“ enthält einen Teil zweimal: %{part}.',
  date_format_parts_run_together:
    '„date_format“ lässt nicht erkennen, wo ein Teil endet (%{before}) und der nächste beginnt (%{part}).',
  date_format_date_incomplete: '„date_format“ braucht Jahr, Monat und Tag.',
  date_format_time_incomplete: '„date_format“ braucht Stunden und Minuten.',
  date_format_seconds_missing: '„date_format“ braucht Sekunden.',
  date_format_empty: '„date_format“ enthält weder Datum noch Uhrzeit.',
  database_refuses_row: 'Eine Bedingung der Datenbank ist nicht erfüllt.',
  database_says: 'Die Datenbank meldet: %{message}',
  secret_of_file_text_expected: 'Ein Geheimnis muss ein Text sein oder fehlen.',
  row_too_long:
    'Eine Zeile hat mehr als %{limit} Byte. Vielleicht wird ein Anführungszeichen nicht geschlossen.',
  quote_inside_bare_cell:
    'In einer Zelle, die nicht mit einem Anführungszeichen beginnt, steht ein Anführungszeichen.',
  text_after_closing_quote:
    'Nach dem schließenden Anführungszeichen einer Zelle muss die nächste Zelle oder das Ende der Zeile kommen.',
  cell_quote_not_closed: 'Ein Anführungszeichen wird nicht geschlossen.',
  quote_not_closed: 'Ein Anführungszeichen wird nicht geschlossen.',
  row_cells_differ_from_header: 'Die Zeile hat %{cells} Zellen, die Kopfzeile %{width}.',
  row_not_utf8: 'Die Zeile ist nicht in UTF-8 geschrieben.',
  header_not_utf8: 'Die erste Zeile ist nicht in UTF-8 geschrieben.',
  line_not_utf8: 'Die Zeile ist nicht in UTF-8 geschrieben.',
  object_not_utf8: 'Das Objekt ist nicht in UTF-8 geschrieben.',
  file_not_in_encoding: 'An dieser Stelle ist die Datei nicht in %{encoding} geschrieben.',
  json_file_ends_early: 'Die Datei endet zu früh.',
  json_array_expected: 'Die Datei muss eine JSON-Liste von Objekten sein.',
  json_comma_expected: 'Nach einem Objekt muss ein Komma oder das Ende der Liste kommen.',
  json_element_object_expected: 'Jedes Element der Liste muss ein Objekt sein.',
  json_text_after_array: 'Nach dem Ende der Liste darf nichts mehr kommen.',
  json_row_too_long: 'Ein Objekt hat mehr als %{limit} Byte oder wird nicht geschlossen.',
  json_row_nested_too_deep: 'Listen und Objekte lassen sich %{limit} Ebenen tief verschachteln.',
  json_text_ends_early: 'Der Text endet zu früh.',
  json_unexpected_character: '%{character} darf hier nicht stehen.',
  row_object_expected: 'Jede Zeile muss ein JSON-Objekt sein.',
  members_name_field_twice: 'Die Zeile nennt das Feld %{name} zweimal.',
  line_too_long: 'Eine Zeile hat mehr als %{limit} Byte.',
  gzip_damaged: 'Die gzip-Datei ist beschädigt oder unvollständig (%{message}).',
  expanded_file_too_large: 'Ausgepackt darf eine Datei höchstens %{limit} Byte haben.',
  file_expands_too_far: 'Ausgepackt darf eine Datei höchstens %{limit}-mal so groß werden.',
  separator_line_differs:
    'Die erste Zeile nennt ein anderes Trennzeichen als „separator=%{separator}“.',
  import_file_empty: 'Die Datei ist leer. Ihre erste Zeile muss die Spalten nennen.',
  mapping_column_missing: 'Die Datei hat keine Spalte %{name}.',
  header_names_field_twice: 'Die erste Zeile nennt %{name} zweimal.',
  new_field_name_with_dot: 'Der Name eines neuen Feldes enthält keinen Punkt.',
  new_field_name_invalid: 'So kann ein neues Feld nicht heißen: %{message}',
  objects_have_too_many_members:
    'Die Objekte haben zusammen mehr als %{limit} Felder; so viele hat keine Tabelle.',
  key_row_without_value: '„%{key}“ kann nicht der Schlüssel sein: Eine Zeile hat keinen Wert.',
  key_type_unsuitable: '„%{key}“ kann nicht der Schlüssel sein: Seine Werte sind vom Typ %{type}.',
  key_value_repeated: '„%{key}“ kann nicht der Schlüssel sein: Zwei Zeilen haben denselben Wert.',
  key_column_missing: 'Die Datei hat keine Spalte, über die Einträge gefunden werden.',
  named_key_column_missing:
    'Die Datei hat keine Spalte %{field}, über die Einträge gefunden werden.',
  too_many_faulty_rows: 'Mehr als %{limit} Zeilen sind fehlerhaft; deshalb wird nichts importiert.',
  import_into_tables_only: 'Importieren lässt sich nur in Tabellen.',
  import_table_without_key: 'Die Tabelle hat keinen Primärschlüssel.',
  decimal_comma_with_point: 'Das Dezimalzeichen ist ein Komma, also darf kein Punkt vorkommen.',
  date_misfits_format: 'Das ist kein Datum, das es gibt, geschrieben als %{format}.',
  list_misfits_field: 'Dieses Feld nimmt keine Liste.',
  object_misfits_field: 'Dieses Feld nimmt kein JSON-Objekt.',
  related_items_nested_too_deep:
    'Verknüpfte Einträge lassen sich %{limit} Ebenen tief verschachteln.',
  import_source_expected:
    'Der Inhalt der Anfrage muss entweder „file“ oder „url“ oder „location“ mit „key“ oder „prefix“ enthalten.',
  import_source_member_unknown:
    '„%{member}“ ist unbekannt. Die Anfrage nennt die Datei, Optionen stehen in der URL.',
  import_location_unknown: 'IMPORT_LOCATIONS enthält keinen Ort „%{name}“.',
  import_location_for_administrators: 'Nur Administratoren dürfen von einem Ort importieren.',
  import_key_invalid:
    'Ein Schlüssel besteht aus Namen zwischen Schrägstrichen, ohne „..“, Steuerzeichen und Schrägstrich am Anfang.',
  import_object_missing: 'An dem Ort gibt es kein Objekt mit diesem Schlüssel.',
  import_object_unreadable: 'Der Prozess von Sluice darf dieses Objekt nicht lesen.',
  import_object_replaced: 'Das Objekt hat einen anderen Inhalt als beim Auftrag zum Import.',
  import_object_imported: 'Ein anderer Import hat dieses Objekt schon importiert.',
  import_file_unreadable: 'Diese Datei gibt es nicht, oder Sie dürfen sie nicht lesen.',
  profile_option_value_unknown:
    'Die Option „%{name}“ muss ein Text, eine Zahl, true, false, eine Liste von Texten oder ein Objekt sein.',
  profile_options_expected: '„options“ muss ein Objekt aus Optionen und ihren Werten sein.',
  profile_option_is_member:
    '„%{name}“ ist ein Feld des Profils und gehört nicht zu seinen „options“.',
  import_profile_unreadable: 'Dieses Profil gibt es nicht, oder Sie dürfen es nicht lesen.',
  import_profile_of_other_collection: 'Das Profil gilt für Importe nach %{name}.',
  import_profile_without_source:
    'Das Profil nennt keine Datei; deshalb muss die Anfrage eine enthalten.',
  import_file_replaced: 'Die Datei hat einen anderen Inhalt als beim Auftrag zum Import.',
  undo_without_related_items:
    'Ein Import mit verknüpften Einträgen lässt sich nicht rückgängig machen; „undo“ muss entfallen.',
  undo_with_mirror: 'Ein Spiegeln lässt sich nicht rückgängig machen; „undo“ muss entfallen.',
  max_deletes_without_mirror: '„max_deletes“ braucht „mode=mirror“.',
  mirror_without_related_items: 'Eine Datei mit verknüpften Einträgen lässt sich nicht spiegeln.',
  mirror_file_without_rows:
    'Die Datei hat keine Zeilen; sie zu spiegeln würde alle Einträge löschen.',
  mirror_too_many_deletes:
    'In der Datei fehlen %{count} Einträge, „max_deletes“ ist %{limit}; nichts ist importiert.',
  mirror_deletes_other_rows:
    'Die Datenbank würde auch %{others} Einträge löschen, die in der Datei stehen oder die Sie nicht löschen dürfen.',
  undo_not_kept: 'Es ist nichts aufbewahrt, womit sich dieser Auftrag rückgängig machen ließe.',
  undo_done_already: 'Der Import ist schon rückgängig gemacht.',
  undo_table_changed: 'Die Spalten der Tabelle haben sich seit dem Import geändert.',
  undo_item_changed: 'Der Eintrag wurde seit dem Import geändert.',
  undo_item_deleted: 'Der Eintrag wurde seit dem Import gelöscht.',
  undo_item_referenced: 'Ein anderer Eintrag verweist auf den Eintrag.',
  undo_item_forbidden: 'Dieser Eintrag darf von Ihnen nicht zurückgesetzt werden.',
  undo_too_many_refused: 'Die Datenbank lehnt es ab, mehr als %{limit} Einträge zurückzusetzen.',
} satisfies SomeReasons;
