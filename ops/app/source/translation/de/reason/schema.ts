/** Das Datenmodell und seine Schnappschüsse. */
import type { SomeReasons } from '../../reason-texts.ts';

export const schema = {
  body_object_expected: 'Die Anfrage muss ein Objekt sein.',
  body_invalid_unicode: 'Die Anfrage enthält einen Text, der kein gültiges Unicode ist.',
  member_unchangeable: '„%{member}“ lässt sich nicht ändern: Es ist %{value}.',
  max_length_out_of_range: 'Die maximale Länge ist eine Zahl von 1 bis %{limit}.',
  numeric_precision_out_of_range:
    'Die Zahl der Stellen liegt zwischen 1 und %{limit}; Nachkommastellen sind es höchstens ebenso viele.',
  postgis_missing: 'Geometrie braucht die Erweiterung PostGIS, die diese Datenbank nicht hat.',
  data_type_missing: 'Ein Feld vom Typ unknown braucht in „data_type“ einen Typ, den es gibt.',
  auto_increment_misfits_type:
    'Nur Felder vom Typ integer und bigInteger können fortlaufend zählen.',
  field_without_column: 'Das Feld %{field} hat keine Spalte.',
  default_too_long: 'Der Standardwert hat mehr als die %{limit} Zeichen des Feldes.',
  default_contains_nul: 'Der Standardwert enthält ein NUL-Zeichen.',
  body_invalid: 'Die Anfrage ist nicht wie erwartet: %{issue}.',
  body_check_failed: 'Die Anfrage ist nicht wie erwartet: %{message}',
  member_missing: '„%{path}“ fehlt.',
  member_invalid: '„%{path}“ ist nicht wie erwartet: %{issue}.',
  diff_path_unknown: 'Der Unterschied ändert „%{path}“, das es nicht gibt.',
  diff_member_invalid: '„%{path}“ von %{subject} ist nicht wie erwartet.',
  diff_check_failed: '%{subject}: %{message}',
  collection_without_columns: '%{name} hat keine Spalten.',
  neither_table_nor_folder: '%{collection} ist weder eine Tabelle noch ein Ordner.',
  relation_refers_to_nothing: '%{collection}.%{field} verweist auf nichts.',
  diff_rights_member_invalid: '„%{path}“ von %{name} ist nicht wie erwartet.',
  action_without_rule: 'Für %{place} gibt es keine Aktion.',
  diff_deletes_policy: 'Ein Unterschied löscht keine Richtlinien.',
  diff_deletes_role: 'Ein Unterschied löscht keine Rollen.',
  diff_outdated:
    'Das Datenmodell hat sich seit diesem Vergleich geändert, oder er stammt von anderswo: Vergleichen Sie neu. Mit „force“ gilt er trotzdem.',
  diff_result_no_schema: 'Der Unterschied führt zu etwas, das kein Datenmodell ist.',
  diff_mode_unknown: '„mode“ muss eines davon sein: %{modes}',
  diff_not_applicable: 'Der Unterschied lässt sich nicht anwenden: %{obstacles}',
  no_collection_to_delete: 'Eine Sammlung %{name}, die sich löschen ließe, gibt es nicht.',
  primary_key_depends_on_relation:
    '%{name}.%{field} verweist auf %{target} und gehört zum Primärschlüssel von %{name}: Löschen Sie zuerst jene Sammlung oder die Beziehung.',
  group_without_metadata: 'Die Gruppe von %{collection} gibt es nicht.',
  group_within_itself: '%{collection} kann nicht in sich selbst stehen.',
  primary_key_missing:
    '%{collection} braucht einen Primärschlüssel, und das Feld id ist keiner: Markieren Sie es oder ein anderes.',
  field_given_twice: 'Das Feld %{field} ist zweimal angegeben.',
  primary_key_without_column:
    '%{field} hat keine Spalte und kann deshalb kein Primärschlüssel sein.',
  folder_with_column: '%{collection} ist ein Ordner, deshalb kann %{field} keine Spalte haben.',
  collection_name_taken: 'Es gibt schon eine Sammlung oder Tabelle namens %{name}.',
  no_collection_to_change: 'Eine Sammlung %{name}, die sich ändern ließe, gibt es nicht.',
  default_of_hashed_field: '%{field} enthält Prüfsummen, und ein Standardwert würde keine.',
  type_unknown_not_settable: 'Kein Feld kann den Typ unknown bekommen.',
  primary_key_unchangeable: 'Der Primärschlüssel von %{name} lässt sich nicht ändern.',
  primary_key_not_nullable:
    '%{field} ist der Primärschlüssel von %{name} und darf nicht leer sein.',
  primary_key_exists: '%{name} hat schon einen Primärschlüssel.',
  primary_key_stays:
    '%{field} ist der Primärschlüssel von %{collection} oder ein Teil davon und bleibt.',
  auto_increment_unchangeable: 'Ob %{field} fortlaufend zählt, lässt sich nicht ändern.',
  value_made_by_database: 'Den Wert von %{name} bildet die Datenbank selbst.',
  alias_without_column: '%{name} hat keine Spalte.',
  alias_stays: '%{name} hat keine Spalte und bekommt auch keine.',
  column_stays: '%{name} hat eine Spalte und behält sie.',
  last_column_stays:
    '%{collection} hätte danach keine Spalte mehr: Löschen Sie stattdessen die Sammlung.',
  system_field_only_indexed:
    '%{name} gehört zu Sluice; von seinen Feldern lässt sich nur der Index ändern.',
  field_named_twice: 'Das Feld %{field} ist zweimal genannt.',
  counting_field_type_fixed: '%{name} zählt von selbst und bleibt eine ganze Zahl.',
  items_without_value: '%{rows} Einträge von %{collection} haben keinen Wert in %{name}.',
  required_field_without_default:
    'Die %{rows} Einträge von %{collection} hätten keinen Wert: Geben Sie einen Standardwert an.',
  items_share_value:
    'Einträge von %{collection} haben denselben Wert, deshalb kann %{field} nicht eindeutig werden.',
  type_unchangeable_here:
    'Der Typ von %{collection}.%{field} lässt sich hier nicht in %{type} ändern.',
  type_change_loses_values:
    'Als %{type} verlöre %{field} von %{collection} Werte von %{items}. Mit ?force werden Werte, die nicht passen, gekürzt oder geleert.',
  views_depend_on_columns: 'Sichten hängen von %{columns} in %{collection} ab: %{views}.',
  computed_columns_depend: '%{computed} von %{collection} wird aus %{columns} berechnet.',
  column_type_unknown:
    'Den Typ %{type} von %{collection}.%{field} gibt es nicht: Legen Sie ihn von Hand an.',
  field_name_taken: '%{collection} hat schon ein Feld %{field}.',
  no_such_collection: 'Eine Sammlung %{name} gibt es nicht.',
  system_field_fixed: '%{collection} gehört zu Sluice; das Feld %{field} lässt sich nicht ändern.',
  no_such_field: '%{collection} hat kein Feld %{field}.',
  folder_without_columns: '%{name} ist ein Ordner und hat keine Spalten.',
  columns_unchangeable: 'Die Spalten von %{name} werden hier nicht geändert (%{kind}).',
  foreign_key_type_differs:
    'Das Feld %{name} ist %{typeText}, der Schlüssel %{name2} von %{name3} aber %{typeText2}: So kann das eine nicht auf das andere verweisen.',
  foreign_key_values_without_item:
    '%{rows} Einträge von %{collection} verweisen mit %{field} auf nichts: %{values}%{more}.',
  no_collection_with_table: 'Es gibt keine Sammlung %{collection} mit Einträgen.',
  system_relation_field_fixed:
    '%{collection} gehört zu Sluice; das Feld %{field} lässt sich nicht ändern.',
  no_field_with_column: '%{collection} hat kein Feld %{field} mit einer Spalte.',
  relation_on_primary_key: 'Das Feld %{field} ist der Primärschlüssel von %{collection}.',
  target_without_single_key:
    '%{name} hat keinen Primärschlüssel aus einem Feld, auf den sich verweisen ließe.',
  no_relation_to_change:
    'Eine Beziehung %{collection}.%{field}, die sich ändern ließe, gibt es nicht.',
  relation_member_no_column:
    '„%{member}“ nennt %{name}, das keine andere Spalte von %{collection} ist.',
  relation_columns_unnamed:
    'Die Beziehung %{collection}.%{field} von %{collection} zu %{related} nennt nicht die Spalten beider.',
  one_field_empty: '„one_field“ ist leer.',
  one_field_is_column: '„one_field“ nennt %{name}, das eine Spalte von %{related} ist.',
  one_field_taken:
    '„one_field“ nennt %{name} von %{related}, das schon zur Beziehung %{manyCollection}.%{manyField} gehört.',
  relation_members_missing:
    'Eine Beziehung ohne „related_collection“ braucht in „meta“ „one_collection_field“ und „one_allowed_collections“.',
  allowed_collection_unknown: '„one_allowed_collections“ nennt %{name}, das es nicht gibt.',
  member_of_other_relation_kind:
    '„%{member}“ passt nicht zu einer Beziehung, die nur zu %{collection} führt.',
  relation_exists: 'Das Feld %{field} von %{collection} hat schon eine Beziehung.',
  relation_to_any_without_foreign_key:
    'Eine Beziehung zu einer von mehreren Sammlungen hat keinen Fremdschlüssel.',
  name_impossible: '„%{name}“ ist als Name nicht möglich (%{kind}).',
  rights_listed_twice: 'Eine Richtlinie, eine Rolle oder ein Recht ist zweimal genannt.',
  change_blocked_by_session:
    'Eine andere Verbindung hält zu lange etwas fest, das die Änderung braucht.',
  table_lock_timeout:
    'In %{seconds} s ließ sich %{tables} nicht sperren, in Benutzung durch %{holders}.',
  schema_change_not_applied_here:
    'Die Änderung ist gemacht, aber dieser Prozess hat das neue Datenmodell noch nicht.',
  column_member_invalid: '„%{path}“ von %{collection}.%{field} ist nicht wie erwartet.',
  column_without_type: 'Die Spalte %{collection}.%{field} hat keinen Typ.',
  column_auto_increment_misfits_type:
    'Mit seinem Typ kann %{collection}.%{field} nicht fortlaufend zählen.',
  snapshot_part_unknown: '„with“ nimmt %{parts}, nicht „%{unknown}“.',
  snapshot_part_unexpected: '%{subject} hat kein „%{part}“.',
  no_snapshot: 'Das ist kein Schnappschuss.',
  snapshot_member_invalid: 'Das ist kein Schnappschuss: „%{path}“ ist nicht wie erwartet.',
  snapshot_from_elsewhere:
    'Der Schnappschuss kommt von anderswo: %{wrong} weichen ab von version %{known}, sluice %{release}, vendor %{vendor}. Mit „force“ wird er trotzdem verglichen.',
  snapshot_with_system_collection:
    'Der Schnappschuss enthält %{collection}, eine Sammlung des Systems.',
  snapshot_collection_twice: 'Der Schnappschuss nennt %{collection} zweimal.',
  snapshot_field_without_collection:
    '%{collection}.%{field} gehört zu keiner Sammlung des Schnappschusses.',
  snapshot_field_twice: 'Der Schnappschuss nennt %{collection}.%{field} zweimal.',
  snapshot_format_unknown: '„export“ muss bei einem Schnappschuss eines davon sein: %{formats}',
  snapshot_file_type_unknown: 'Ein Schnappschuss muss eine Datei in JSON oder YAML sein.',
  include_and_exclude_collections:
    '„includeCollections“ und „excludeCollections“ schließen einander aus.',
  no_collection_of_snapshots: '„%{name}“ ist keine Sammlung für Schnappschüsse.',
  only_administrators_change_schema: 'Das Datenmodell ändert nur, wer verwaltet.',
  only_administrators_use_snapshots: 'Das ganze Datenmodell sieht und ändert nur, wer verwaltet.',
  keys_of_collections_expected: '„keys“ muss Namen von Sammlungen enthalten.',
  yaml_invalid: 'Das lässt sich nicht als YAML lesen: %{fault}.',
} satisfies SomeReasons;
