/** Die Datenbank und was der Server gerade leisten kann. */
import type { SomeReasons } from '../../reason-texts.ts';

export const service = {
  cache_clearing_unconfirmed:
    'Es ist geschrieben, aber nicht jeder Prozess ließ sich bitten, seinen Zwischenspeicher zu leeren.',
  contact_lost: 'Dieser Prozess hat den Kontakt dazu verloren.',
  change_unconfirmed:
    'Es ist geschrieben, aber ob es schon in jedem Prozess gilt, ist nicht sicher.',
  still_referred_to: 'Andere Einträge verweisen noch darauf.',
  still_referred_to_by: 'Einträge von „%{collection}“ verweisen noch darauf.',
  no_item_with_key: 'Einen Eintrag mit diesem Schlüssel gibt es nicht.',
  no_item_of_collection_with_key: 'In „%{collection}“ gibt es diesen Eintrag nicht.',
  database_condition_broken: 'Eine Bedingung der Datenbank ist nicht erfüllt.',
  item_refused_by_database: 'Eine Bedingung der Datenbank ist nicht erfüllt.',
  value_misfits_field_type: 'Dieser Wert passt nicht in das Feld.',
  answer_too_large:
    'Die Antwort der Datenbank ist größer als %{limit} Byte. Fragen Sie nach weniger Einträgen oder Feldern auf einmal, oder lassen Sie die größten Werte weg.',
  database_unreachable: 'Die Datenbank ist nicht erreichbar oder überlastet.',
  statement_too_large: 'Die Abfrage überschreitet eine Grenze. Mehr als %{limit} %{bounds}',
  statement_too_slow: 'Das hat länger gedauert, als QUERY_TIMEOUT erlaubt.',
  database_cannot_do_this_now: 'Die Datenbank kann das gerade nicht.',
  lock_wait_ended:
    'Jemand anderes hielt fest, was zu schreiben war, und andere brauchten die Verbindung.',
  value_contains_nul: 'Ein Wert enthält ein NUL-Zeichen.',
  too_many_long_answers:
    'Alle %{max} langen Antworten, die STREAM_MAX erlaubt, werden gerade gelesen.',
  too_many_long_answers_of_holder:
    'Nur %{limit} lange Antworten dürfen gleichzeitig gelesen werden.',
  values_exceed_memory:
    'Diese Werte brauchen mehr Arbeitsspeicher, als der Server hat (%{variable}); senden Sie weniger auf einmal.',
  memory_exhausted:
    'Das braucht mehr Arbeitsspeicher, als gerade für Sie frei ist; senden Sie weniger gleichzeitig.',
  no_link_for_user:
    'Einen Link bekommen nur eingeladene und aktive Personen, die sich hier mit einem Passwort anmelden.',
  no_mail_server: 'Hier ist kein Mailserver eingerichtet: EMAIL_TRANSPORT ist nicht gesetzt.',
  only_administrators_clear_cache: 'Den Zwischenspeicher leert nur, wer verwaltet.',
  too_many_new_queries: 'Zu viele neue Abfragen warten darauf, an die Reihe zu kommen.',
  too_many_invited: 'Höchstens %{limit} Adressen lassen sich auf einmal einladen.',
  preset_field_unknown: '„presets.%{field}“: „%{collection}“ hat kein solches Feld.',
  schema_changed_during_attempts: 'Bei jedem Versuch hat sich das Datenmodell geändert.',
  stored_email_unusable:
    'An die gespeicherte Adresse dieser Person lässt sich keine E-Mail senden.',
  operation_misfits_types: 'Für die Typen dieser Felder hat PostgreSQL keine solche Operation.',
  query_unanswerable: 'Diese Frage kann PostgreSQL nicht beantworten.',
  database_message: 'Die Datenbank meldet: %{message}',
} satisfies SomeReasons;
