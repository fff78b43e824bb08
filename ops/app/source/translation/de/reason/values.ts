/** Werte, die nicht in ihr Feld passen. */
import type { SomeReasons } from '../../reason-texts.ts';

export const values = {
  decimal_too_large: 'Diese Zahl ist größer, als das Feld fasst.',
  decimal_has_too_many_digits: 'Diese Zahl hat mehr als %{limit} Stellen vor dem Komma.',
  too_many_characters: 'Dieser Text hat mehr als %{limit} Zeichen.',
  value_has_unpaired_surrogate: 'Das enthält ein halbes Zeichen, das sich nicht speichern lässt.',
  value_not_well_formed: 'Das enthält ein halbes Zeichen, das sich nicht speichern lässt.',
  value_holds_nul: 'Das enthält ein NUL-Zeichen, das sich nicht speichern lässt.',
  value_holds_escaped_nul: 'Das enthält ein NUL-Zeichen, das sich nicht speichern lässt.',
  value_has_number_out_of_range: 'Das enthält eine Zahl, die PostgreSQL nicht speichern kann.',
  value_number_expected: 'Das muss eine Zahl sein.',
  value_whole_number_expected: 'Das muss eine ganze Zahl sein.',
  value_misfits_bits: 'Diese Zahl ist zu groß oder zu klein für das Feld (%{bits} Bit).',
  value_decimal_expected: 'Das muss eine Zahl sein.',
  value_misfits_float: 'Diese Zahl ist zu groß oder zu klein für das Feld (%{bits} Bit).',
  value_boolean_expected: 'Das muss ja oder nein sein (true oder false).',
  value_text_expected: 'Das muss ein Text sein.',
  value_list_expected: 'Das muss eine Liste sein.',
  value_json_expected: 'Das muss JSON sein.',
  value_geometry_expected: 'Das muss eine Geometrie in GeoJSON sein.',
  value_one_of_expected: 'Erlaubt sind nur: %{values}',
  value_names_database_object:
    'Das nennt ein Objekt der Datenbank; solche Felder lassen sich nur mit SQL schreiben.',
  value_date_expected: 'Das muss ein Datum sein, das es gibt, etwa 2024-02-29.',
  value_time_expected: 'Das muss eine Uhrzeit sein, etwa 13:45:00.',
  value_date_time_expected: 'Das muss ein Datum mit Uhrzeit sein, etwa 2024-02-29T13:45:00.',
  value_timestamp_expected: 'Das muss ein Datum mit Uhrzeit sein, etwa 2024-02-29T13:45:00Z.',
  value_uuid_expected: 'Das muss eine UUID sein.',
  value_bytes_expected: 'Das müssen hexadezimal geschriebene Bytes sein, etwa \\x00ff.',
  value_fails_validation: 'Dieser Wert ist ungültig.',
  value_not_unique: 'Ein anderer Eintrag hat diesen Wert bereits.',
  value_missing: 'Ein Wert ist erforderlich.',
  value_refers_to_no_item:
    'Der Eintrag, auf den verwiesen wird, existiert nicht, oder andere Einträge verweisen noch auf ihn.',
  value_out_of_range: 'Diese Zahl ist zu groß oder zu klein.',
  value_too_long: 'Dieser Text ist zu lang.',
} satisfies SomeReasons;
