/** Abfragen: Filter, Sortierung, Gruppen. */
import type { SomeReasons } from '../../reason-texts.ts';

export const query = {
  composite_key_list_expected:
    'Ein Schlüssel aus %{count} Werten ist eine Liste davon, etwa ["1", "22"].',
  limit_of_query_exceeded:
    'Die Abfrage überschreitet eine Grenze: mehr als %{limit} (%{variable}: %{name}).',
  query_cost_exceeded:
    'So wie begrenzt wird, wären bis zu %{cost} Einträge zu lesen, mehr als %{limit} (QUERY_MAX_COST). Fragen Sie nach weniger Ebenen, oder begrenzen Sie die Listen enger.',
  filter_nested_too_deep:
    '„filter“ ist tiefer als %{limit} Ebenen geschachtelt (QUERY_MAX_NESTING).',
  condition_missing: '„%{place}“ enthält keine Bedingung.',
  list_expected: '„%{place}“ muss eine Liste sein.',
  field_name_impossible: '„%{place}“: So kann kein Feld heißen.',
  query_object_expected: '„%{place}“ muss ein Objekt sein.',
  query_parameter_unknown: '„%{prefix}%{unknown}“ ist kein Parameter einer Abfrage.',
  minimum_whole_number_expected: '„%{place}“ muss eine ganze Zahl von mindestens %{min} sein.',
  limit_above_maximum: '„%{place}“ darf höchstens %{max} sein (QUERY_LIMIT_MAX).',
  page_too_large: '„%{prefix}page“ ist zu groß.',
  text_expected: '„%{place}“ muss ein Text sein.',
  contains_nul: '„%{place}“ enthält ein NUL-Zeichen.',
  alias_field_name_expected: '„%{place}.%{name}“ muss der Name eines Feldes sein.',
  alias_with_dot: '„%{place}.%{name}“: Weder Name noch Feld darf einen Punkt enthalten.',
  aggregate_function_unknown: '„%{place}.%{name}“ ist keine Funktion, die zusammenfasst.',
  aggregate_without_field: '„%{place}.%{name}“ nennt kein Feld.',
  deep_parameter_without_relation:
    '„%{place}“ enthält einen Parameter, der unter keiner Beziehung steht.',
  too_many_relations_deep:
    '„%{place}“ geht über mehr als %{maxDepth} Beziehungen (MAX_RELATIONAL_DEPTH).',
  json_nested_too_deep: '„%{place}“ ist tiefer als %{limit} Ebenen geschachtelt.',
  json_object_too_large: '„%{place}“ enthält ein Objekt mit mehr als %{limit} Teilen.',
  json_invalid: '„%{place}“ ist kein gültiges JSON: %{detail}.',
  field_name_too_long: '„%{place}“ nennt ein Feld mit mehr als %{limit} Zeichen.',
  list_of_texts_expected: '„%{place}“ muss eine Liste von Texten sein.',
  field_path_too_long: '„%{place}“ nennt einen Pfad über mehr als %{limit} Felder.',
  field_path_with_empty_name: '„%{place}“ nennt in „%{text}“ ein Feld ohne Namen.',
  single_values_expected: '„%{place}“ muss einzelne Werte enthalten.',
  list_empty: '„%{place}“ darf keine leere Liste sein.',
  two_values_expected: '„%{place}“ muss zwei Werte enthalten.',
  single_value_expected: '„%{place}“ muss ein einzelner Wert sein.',
  null_not_allowed: '„%{place}“ darf nicht null sein.',
  empty_text_not_allowed: '„%{place}“ darf nicht leer sein; verwenden Sie _empty.',
  boolean_expected: '„%{place}“ muss true oder false sein.',
  geometry_expected: '„%{place}“ muss eine Geometrie in GeoJSON sein.',
  meta_unknown: '„meta“ kennt „%{name}“ nicht.',
  parameter_boolean_expected: '„%{name}“ muss true oder false sein.',
  version_text_expected: '„version“ muss ein Text sein.',
  version_unknown: 'Diese „version“ dürfen Sie nicht verwenden, oder es gibt sie nicht.',
  aggregate_field_name_expected: '„aggregate.%{aggregate}“ braucht den Namen eines Feldes.',
  aggregate_misfits_field_type:
    '„aggregate.%{aggregate}“ passt nicht zum Feld „%{name}“ vom Typ %{type}.',
  group_by_misfits_field_type:
    '„groupBy“: Nach „%{field}“ vom Typ %{type} lässt sich nicht gruppieren.',
  sort_outside_groups:
    '„sort“ darf Gruppen und Zusammenfassungen dieser Abfrage nennen, nicht „%{path}“.',
  function_misfits_field_type:
    '„%{clause}“: %{name}(%{field}) passt nicht zu einem Feld vom Typ %{type}.',
  document_path_invalid:
    '„%{place}“: „%{path}“ ist kein Pfad in ein Dokument; ein solcher besteht aus Namen, Punkten und „[0]“.',
  document_path_too_deep: '„%{place}“ geht tiefer als %{maxDepth} Schritte (MAX_JSON_QUERY_DEPTH).',
  member_operator_expected: '„%{place}“ steht, wo ein Operator für einen Teil stehen muss.',
  document_path_expected: '„%{place}“ steht, wo ein Pfad in das Dokument stehen muss.',
  operator_needs_document: '„%{place}“ steht bei „%{name}“, das kein Dokument ist.',
  operator_needs_related_list:
    '„%{place}“ steht bei „%{name}“, das keine Liste verknüpfter Einträge ist.',
  operator_unknown: '„%{place}“ ist kein Operator.',
  filter_collection_expected: '„%{place}“ muss eine Sammlung nennen, etwa „%{key}:collection“.',
  no_single_key_to_compare: '„%{path}“ hat keinen einzelnen Schlüssel, der sich vergleichen ließe.',
  operator_or_field_unknown: '„%{place}“ ist weder ein Operator noch ein Feld.',
  operator_without_related_list: '„%{place}“ steht, wo keine Liste verknüpfter Einträge ist.',
  field_expected: '„%{place}“ steht, wo ein Feld stehen muss.',
  finite_number_expected: '„%{place}“ muss eine endliche Zahl sein.',
  number_beyond_exact_range:
    '„%{place}“ ist größer, als JSON Zahlen genau schreiben kann; senden Sie die Zahl als Text.',
  number_expected: '„%{place}“ muss eine Zahl sein.',
  boolean_value_expected: '„%{place}“ muss true oder false sein.',
  variable_path_with_document:
    '„%{place}“: Eine Variable mit Pfad lässt sich nicht mit einem Dokument vergleichen.',
  operator_misfits_field_kind: '„%{place}“: %{operator} geht hier nicht (%{kind}).',
  estimated_count_not_allowed: '„estimated_count“ zählt Einträge mit, die Sie nicht sehen dürfen.',
  compared_field_of_other_type:
    '„%{text}“ hat einen anderen Typ als das Feld, mit dem es verglichen wird.',
  compared_field_has_several_values: '„%{text}“ hat mehrere Werte; verwenden Sie _in oder _nin.',
  field_collection_expected: '„%{place}“ muss eine Sammlung nennen, etwa „%{field}:collection“.',
  variable_not_comparable: '„%{place}“: „%{text}“ lässt sich nicht vergleichen.',
  path_too_many_relations_deep:
    '„%{path}“ geht über mehr als %{maxDepth} Beziehungen (MAX_RELATIONAL_DEPTH).',
  field_without_order: '„sort“: „%{name}“ lässt sich nicht ordnen.',
  hash_too_costly: '„hash“ macht beim Vergleichen zu viel Arbeit.',
  no_sort_field: '„%{name}“ hat kein Feld mit Zahlen für die Reihenfolge von Hand.',
  body_member_unknown: 'Die Anfrage nimmt kein „%{member}“.',
  validation_by_database_only:
    '„%{place}“: Werte von „%{name}“ vergleicht nur die Datenbank; für verknüpfte Einträge verwenden Sie _eq oder _in.',
  regular_expression_invalid: '„%{place}“ ist kein lesbarer regulärer Ausdruck.',
  validation_field_unknown: '„%{place}“: „%{collection}“ hat kein Feld „%{field}“.',
  validation_of_related_items:
    '„%{place}“: Eine Prüfung sieht Listen und Dokumente des Eintrags selbst, aber keine verknüpften Einträge.',
  no_such_variable: '„%{place}“: „%{value}“ ist keine Variable.',
} satisfies SomeReasons;
