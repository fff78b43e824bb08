/** Dateien, Bilder und ihr Speicher. */
import type { SomeReasons } from '../../reason-texts.ts';

export const files = {
  content_too_slow: 'Der Inhalt kam zu langsam an; die Übertragung wurde abgebrochen.',
  user_files_too_large: 'Die Dateien einer Person dürfen zusammen höchstens %{max} Byte haben.',
  transform_operation_unknown: '%{operation} in „transforms“ gibt es nicht.',
  transform_arguments_wrong: '„%{name}“ in „transforms“ nimmt diese Argumente nicht.',
  image_has_too_many_pixels:
    'Ein Bild im Format %{format} darf %{limit} Pixel haben (%{variable}); dieses hätte %{pixels}.',
  preset_unknown: 'Eine Vorgabe mit diesem „key“ gibt es nicht.',
  whole_number_in_range_expected: '„%{name}“ muss eine ganze Zahl von %{min} bis %{max} sein.',
  one_of_list_expected: '„%{name}“ muss eines davon sein: %{list}',
  transforms_list_expected: '„transforms“ muss eine Liste von Operationen sein.',
  too_many_transforms:
    '„transforms“ darf %{max} Operationen haben (ASSETS_TRANSFORM_MAX_OPERATIONS).',
  transform_resize_too_large:
    '„resize“ in „transforms“ vergrößert auf höchstens %{maxDimension} Pixel.',
  transforms_json_expected: '„transforms“ muss JSON sein.',
  focal_point_incomplete: '„focal_point_x“ und „focal_point_y“ werden zusammen angegeben.',
  preset_key_with_others: '„key“ steht allein.',
  transformation_not_allowed:
    'Die Einstellungen erlauben diese Umwandlung nicht (storage_asset_transform).',
  too_many_arriving_uploads: 'Gleichzeitig dürfen nur %{max} Dateien hochgeladen werden.',
  file_without_content: 'Die Datei hat keinen Inhalt.',
  storage_location_missing: 'STORAGE_LOCATIONS enthält keinen Ort „%{name}“.',
  storage_unknown: '„storage“ muss eines davon sein: %{locations}',
  file_type_unwanted: 'Die Datei hat den Typ %{type}, der hier nicht angenommen wird.',
  file_type_not_allowed: 'Dateien vom Typ %{type} werden nicht angenommen.',
  upload_name_missing: 'In den Metadaten fehlt „filename_download“.',
  upload_metadata_contains_nul: '„%{name}“ in den Metadaten enthält ein NUL-Zeichen.',
  too_many_incomplete_uploads: 'Nur %{limit} Uploads dürfen begonnen und noch nicht fertig sein.',
  upload_checksum_differs: 'Die Prüfsumme stimmt nicht.',
  upload_in_progress_elsewhere: 'Dieser Upload wird schon an anderer Stelle fortgesetzt.',
  only_users_sign_urls:
    'Nur wer angemeldet ist, kann Links signieren: Sie lesen mit dessen Rechten.',
  url_of_other_file: 'Dieser Link wurde für eine andere Datei signiert.',
  url_signer_inactive: 'Wer diesen Link signiert hat, ist nicht mehr aktiv.',
  url_signer_address_refused:
    'Wer diesen Link signiert hat, darf von dieser Adresse aus nicht lesen.',
  file_name_missing: 'Die Datei braucht einen Namen.',
  too_many_files: 'Auf einmal lassen sich höchstens %{limit} Dateien speichern.',
  file_with_several_contents: 'Eine Datei hat nur einen Inhalt.',
  too_many_images_waiting: 'Gerade wird auf zu viele Bilder gewartet.',
  image_not_ready: 'Das Bild ist noch nicht fertig.',
  upload_folder_not_writable:
    'In den Ordner für Uploads in DATA_DIR lässt sich nicht schreiben (%{code}).',
  disk_full: 'Auf der Festplatte ist kein Platz für die Datei.',
  too_many_arriving_files:
    'Zu viele Dateien werden gleichzeitig hochgeladen, oder diese kommt zu langsam an.',
  storage_full: 'Für die Datei ist kein Platz.',
  storage_bytes_differ: 'Der Speicher liefert andere Bytes als verlangt.',
  storage_content_length_differs:
    'Im Speicher liegt nicht die ganze Datei: %{stored} von %{bytes} Byte.',
  storage_length_differs: 'Im Speicher liegt nicht die ganze Datei: %{stored} von %{bytes} Byte.',
  file_not_in_storage: 'Die Datei liegt nicht im Speicher.',
  storage_unusable: 'Der Speicher der Dateien lässt sich nicht benutzen: %{fault}',
  range_beyond_file: 'Die Datei hat nur %{size} Byte.',
  file_changed_meanwhile: 'Inzwischen ist das eine andere Datei.',
  file_content_changed: 'Die Datei hat inzwischen einen anderen Inhalt.',
  import_data_plain_value_expected: '„data.%{name}“ muss ein einfacher Wert sein.',
  upload_still_written: 'Eine andere Anfrage schreibt noch daran.',
  tus_refused: 'tus: %{detail}.',
  image_process_crashed: 'An diesem Bild ist ein Prozess gescheitert (%{signal}).',
  image_too_much_memory: 'Das Bild braucht mehr Arbeitsspeicher als %{most}.',
  image_process_ended: 'Der Prozess, der das Bild bearbeitet, ist zu Ende.',
  image_not_made: 'Das Bild ließ sich nicht erzeugen: %{fault}',
  archive_too_large: 'Ein Archiv fasst höchstens %{limit} Dateien.',
  file_too_large: 'Eine Datei darf höchstens %{limit} Byte haben (%{variable}).',
  storage_returns_other_file:
    'Der Speicher gibt eine andere Datei zurück, als er bekommen hat: %{difference}',
  upload_checksum_algorithm_unknown:
    '„Upload-Checksum“ muss mit einem davon beginnen: %{algorithms}',
  import_url_invalid: '„url“ ist keine URL.',
  import_url_scheme_unknown: '„url“ muss mit http:// oder https:// beginnen.',
  import_url_with_credentials: '„url“ darf keine Zugangsdaten enthalten.',
  import_url_loses_tls: '„url“ führt von https zu http.',
  import_server_unreached:
    'Der fremde Server ist nicht zu finden, hat keine öffentliche Adresse oder antwortet nicht brauchbar.',
  import_server_certificate_invalid: 'Der fremde Server hat kein gültiges Zertifikat (%{fault}).',
  import_server_broke_off: 'Der fremde Server hat die Übertragung abgebrochen.',
  import_server_redirects_nowhere: 'Der fremde Server leitet zu keiner URL weiter.',
  import_server_status: 'Der fremde Server hat mit Status %{status} geantwortet.',
  import_server_compresses:
    'Der fremde Server komprimiert die Datei, obwohl das nicht verlangt war.',
  import_server_redirects_too_often: 'Der fremde Server leitet mehr als %{limit} Mal weiter.',
  image_file_too_large: 'Das Bild hat mehr als %{limit} Byte.',
  image_pixels_too_many: 'Das Bild hat zu viele Pixel.',
  image_side_too_long: 'Das Bild ist größer als %{limit} Pixel.',
  image_unreadable: 'Das lässt sich nicht als Bild lesen.',
  image_takes_too_long: 'Das Bild braucht länger als %{timeout} ms.',
} satisfies SomeReasons;
