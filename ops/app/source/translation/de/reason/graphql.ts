/** GraphQL. */
import type { SomeReasons } from '../../reason-texts.ts';

export const graphql = {
  too_many_schema_readers: 'Zu viele fragen gleichzeitig nach dem Schema.',
  schema_not_describable: 'Das Schema lässt sich gerade nicht beschreiben.',
  graphql_number_beyond_exact_range:
    'Eine Zahl ist größer, als JSON sie genau schreiben kann; senden Sie sie als Text.',
  persisted_query_incomplete: '„extensions.persistedQuery“ braucht version 1 und sha256Hash.',
  persisted_query_hash_differs:
    '„extensions.persistedQuery.sha256Hash“ ist nicht die Prüfsumme von „query“.',
  graphql_query_missing: 'Die Anfrage muss ein Objekt mit „query“ sein.',
  graphql_document_expected: '„query“ muss ein Dokument von GraphQL sein.',
  member_json_expected: '„%{name}“ muss JSON sein.',
  graphql_body_type: 'Die Anfrage muss vom Typ %{type} sein.',
  selection_too_many_relations_deep:
    'Die Auswahl geht über mehr als %{maxDepth} Beziehungen (MAX_RELATIONAL_DEPTH).',
  graphql_list_too_large:
    'Eine Liste neben anderen Feldern darf %{limit} Zeichen haben; setzen Sie ein kleineres „limit“.',
  change_continues_as_job:
    'Die Änderung dauert länger und läuft weiter; sehen Sie in der Liste der Aufträge nach.',
} satisfies SomeReasons;
