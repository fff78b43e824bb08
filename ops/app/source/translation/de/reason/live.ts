/** Änderungen, von denen man sofort erfährt, und WebSockets. */
import type { SomeReasons } from '../../reason-texts.ts';

export const live = {
  event_read_too_slow: 'Das Geschriebene zu lesen hat zu lange gedauert.',
  subscription_of_aggregates: 'Abonniert werden Einträge: „aggregate“ und „groupBy“ gehen nicht.',
  too_many_subscriptions: 'Eine Person darf %{most} Abonnements haben.',
  live_collection_without_key:
    'Einträge von „%{name}“ haben keinen Schlüssel, deshalb lässt sich nichts von ihnen melden.',
  message_data_item_expected: '„data“ muss ein Eintrag oder eine Liste von Einträgen sein.',
  message_data_change_expected: '„data“ muss sagen, was sich ändert.',
  message_target_missing: '„id“, „ids“ oder „query“ muss sagen, was gelöscht wird.',
  message_ids_of_composite_key: '„ids“ gibt es nur für Einträge, deren Schlüssel ein Feld ist.',
  message_object_expected: 'Eine Nachricht ist ein JSON-Objekt mit „type“.',
  message_member_invalid: '„%{place}“ ist nicht wie erwartet: %{message}',
  too_many_connections: 'Von %{limit} Verbindungen sind schon zu viele vergeben (%{limitName}).',
  connection_not_logged_in:
    'Andere möchten sich anmelden, und diese Verbindung hat es nicht getan.',
  websocket_of_other_origin:
    'Eine Seite anderer Herkunft darf keinen WebSocket öffnen; siehe CORS_ORIGIN.',
  websocket_connection_header:
    'Der Header Connection muss „upgrade“ nennen. Proxys müssen ihn mit Upgrade weitergeben.',
  too_many_websockets: 'Eine Person darf %{most} WebSockets haben.',
  message_version_unknown:
    'Diese Ausgabe kann Version %{version} von Aufträgen der Art %{kind} nicht lesen (%{path}).',
  too_many_subscriptions_of_connection:
    'Eine Verbindung darf %{limit} Abonnements haben (WEBSOCKETS_MAX_SUBSCRIPTIONS).',
  no_collection_of_items:
    '„%{collection}“ ist keine Sammlung von Einträgen; die des Systems beginnen mit „system_“ und haben eigene Adressen.',
  message_too_large: 'Eine Nachricht darf %{limit} Byte haben; setzen Sie ein kleineres „limit“.',
  answer_ended_early: 'Die Antwort ist vorzeitig zu Ende: %{fault}',
} satisfies SomeReasons;
