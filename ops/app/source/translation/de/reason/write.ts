/** Was geschrieben werden soll. */
import type { SomeReasons } from '../../reason-texts.ts';

export const write = {
  too_many_items_written:
    'Die Anfrage schreibt mehr Einträge, als MAX_BATCH_MUTATION (%{limit}) erlaubt; verknüpfte zählen mit, auch die, die aus Listen herausfallen.',
  field_kept_by_server: 'Das Feld „%{first}“ von „%{name}“ füllt nur der Server.',
  object_expected: '%{place} muss ein Objekt sein.',
  computed_field_written: 'Das Feld „%{name}“ berechnet die Datenbank, es nimmt keinen Wert an.',
  field_unknown: '„%{name}“ hat kein Feld „%{unknown}“.',
  relation_cannot_hold_collection: '„%{place}“ kann keinen Eintrag von %{name} enthalten.',
  key_missing: 'Bei %{place} fehlt der Schlüssel.',
  discriminator_missing: 'Neben %{place} fehlt „%{discriminator}“ mit der Sammlung des Eintrags.',
  relation_cannot_hold_named_collection: '%{place} kann keinen Eintrag von „%{name}“ enthalten.',
  relation_changes_unknown_member:
    '%{place} nimmt „create“, „update“ und „delete“, aber kein „%{unknown}“.',
  relation_list_or_changes_expected:
    '%{place} muss eine Liste sein, oder ein Objekt mit „create“, „update“ und „delete“.',
  relation_list_expected: '%{place} muss eine Liste sein.',
  relation_key_or_object_expected: '%{place} muss ein Schlüssel oder ein Objekt sein.',
  junction_key_unknown:
    '%{place} ist kein Schlüssel von „%{collection}“, oder Sie dürfen ihn nicht verwenden. Um einen Eintrag zu verknüpfen, senden Sie %{link}.',
  item_kept_and_removed: '„%{place}“ soll in der Liste bleiben und zugleich herausgenommen werden.',
  composite_key_expected: '„%{place}“ muss eine Liste von %{width} Werten oder ein Objekt sein.',
  key_change_not_allowed:
    '„%{place}“ gehört zum Schlüssel des Eintrags, und der ändert sich nicht.',
  secret_text_expected: 'Ein Geheimnis muss ein Text sein oder fehlen.',
  revision_fields_gone:
    'Der frühere Stand hat Werte für Felder, die „%{collection}“ nicht mehr hat: %{fields}.',
  revision_without_data:
    'Dieser Stand wurde nicht aufbewahrt und lässt sich nicht wiederherstellen.',
  write_collection_without_key:
    'Einträge von „%{name}“ haben keinen Schlüssel und lassen sich nicht schreiben.',
  preset_path_unresolved:
    'Die Vorgabe für „%{field}“ lässt sich nicht ermitteln: „%{path}“ führt ins Leere.',
  items_not_kept_by_database: 'Die Datenbank hat nicht jeden Eintrag von „%{collection}“ behalten.',
  value_beyond_json_range:
    'Eine Zahl ist größer, als JSON sie genau schreiben kann; senden Sie sie als Text.',
  element_row_as_text: 'Eine Zeile als Element einer Liste wird als Text geschrieben.',
  field_type_without_objects: 'Ein Feld vom Typ %{type} nimmt weder Objekte noch Listen.',
  payload_value_missing: 'Der Wert fehlt.',
  real_would_round: 'Eine Spalte vom Typ real gäbe eine andere Zahl zurück.',
} satisfies SomeReasons;
