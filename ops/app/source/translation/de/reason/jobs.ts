/** Aufträge, Warteschlangen und E-Mails. */
import type { SomeReasons } from '../../reason-texts.ts';

export const jobs = {
  queue_unreachable: 'Die Warteschlange der Aufträge lässt sich gerade nicht benutzen.',
  idempotency_key_taken: 'Der Schlüssel „%{key}“ gehört zu einer anderen Anfrage.',
  after_needs_single_sort: '„after“ verlangt genau ein Feld zum Sortieren.',
  after_excludes_offset: '„after“ schließt „offset“ und „page“ aus.',
  after_job_id_expected: '„after“ muss die Kennung eines Auftrags sein.',
  after_job_not_in_list: '„after“ ist kein Auftrag dieser Liste.',
  too_many_waiting_upload_bytes:
    'Nur %{max} Byte hochgeladener Dateien dürfen auf ihre Bearbeitung warten.',
  too_many_jobs: 'Nur %{max} Aufträge dürfen warten und laufen.',
  queue_connection_lost: 'Die Verbindung ist abgerissen.',
  queue_paused: 'Die Warteschlange „%{queue}“ nimmt keine Aufträge an, bis sie fortgesetzt wird.',
  identical_jobs_too_fast: 'Gleiche Aufträge kommen und gehen zu schnell.',
  only_users_export_files:
    'Eine Datei bekommt nur, wer angemeldet ist: Sie gehört dann dieser Person.',
  job_makes_no_file: 'Dieser Auftrag erzeugt keine Datei.',
  job_has_no_file: 'Der Auftrag hat keine Datei.',
  job_file_removed: 'Seine Datei wird nicht mehr aufbewahrt.',
  job_without_rejected_rows:
    'Der Auftrag hat keine übersprungenen Zeilen, die man wieder senden kann.',
  job_done_already: 'Der Auftrag ist schon erledigt.',
  storage_unreachable_from_edge:
    'Die Datei liegt im Speicher %{storage}, den dieser Server nicht erreicht.',
  job_cancelled: 'Der Auftrag wurde abgebrochen.',
  after_id_expected: '„after“ muss eine Kennung sein.',
  too_many_event_streams: 'Nur %{limit} Ereignisströme dürfen offen sein.',
  collection_not_created: 'Die Sammlung ließ sich nicht anlegen: %{reason}',
  mail_refused: 'Der Mailserver lehnt die E-Mail oder ihre Adresse ab (%{code}).',
  mail_login_refused:
    'Der Mailserver lehnt EMAIL_SMTP_USER und EMAIL_SMTP_PASSWORD ab (%{detail}).',
  mail_server_unreachable: 'Der Mailserver lässt sich nicht benutzen (%{detail}).',
  job_list_too_large:
    'Eine Liste von Aufträgen darf %{limit} Zeichen haben; setzen Sie ein kleineres „limit“.',
  retry_file_not_kept:
    'Die Datei des Auftrags wird nicht mehr aufbewahrt; senden Sie sie noch einmal.',
  retry_state_refused: 'Nur gescheiterte oder abgebrochene Aufträge lassen sich erneut versuchen.',
  retry_overtaken: 'Jemand anderes war schneller.',
  retry_identical_job_open: 'Ein gleicher Auftrag ist schon offen.',
  first_needs_waiting: 'Nur wartende Aufträge lassen sich vorziehen.',
  schema_order_fixed:
    'Änderungen des Datenmodells laufen in der Reihenfolge, in der sie angenommen wurden.',
  schema_queue_serial: 'Änderungen des Datenmodells laufen nacheinander.',
  period_unknown: '„period“ muss eines davon sein: %{periods}.',
  internal_error_message: 'Im Server ist etwas schiefgegangen: %{message}',
} satisfies SomeReasons;
