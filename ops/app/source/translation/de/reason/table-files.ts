/** Excel-Arbeitsmappen und Parquet-Dateien. */
import type { SomeReasons } from '../../reason-texts.ts';

export const tableFiles = {
  workbook_expected: 'Die Datei ist keine Excel-Arbeitsmappe (.xlsx).',
  workbook_damaged: 'Die Arbeitsmappe ist beschädigt oder unvollständig (%{message}).',
  workbook_with_macros:
    'Die Arbeitsmappe enthält Makros. Speichern Sie sie als Arbeitsmappe ohne Makros (.xlsx).',
  workbook_binary: 'Die Arbeitsmappe ist binär (.xlsb). Speichern Sie sie als .xlsx.',
  workbook_old_or_encrypted:
    'Die Datei ist eine alte Arbeitsmappe (.xls) oder durch ein Kennwort geschützt. Speichern Sie sie als .xlsx ohne Kennwort.',
  workbook_text_too_long: 'Der Teil %{part} enthält einen Text von mehr als %{limit} Byte.',
  table_row_too_long: 'Eine Zeile hat mehr als %{limit} Byte.',
  sheet_unknown: 'Die Arbeitsmappe hat kein Blatt %{sheet}. Ihre Blätter sind %{names}.',
  sheet_empty: 'Das Blatt ist leer. Seine erste Zeile muss die Felder nennen.',
  sheet_out_of_order: 'Das Blatt ist nach Zeile %{row} beschädigt.',
  header_row_empty: 'Zeile %{row} des Blattes muss die Felder nennen, ist aber leer.',
  cell_shows_error: 'Die Zelle %{cell} zeigt den Fehler %{error}.',
  cell_without_result:
    'Die Formel in der Zelle %{cell} hat kein gespeichertes Ergebnis. Öffnen und speichern Sie die Datei in einer Tabellenkalkulation.',
  cell_without_header: 'Die Zelle %{cell} hat einen Wert, aber ihre Spalte hat keinen Namen.',
  too_many_shared_texts: 'Eine Arbeitsmappe darf bis zu %{limit} verschiedene Texte haben.',
  option_of_workbooks_only: '„%{name}“ gibt es nur für Excel-Arbeitsmappen, und das ist %{format}.',
  option_misfits_format: '„%{name}“ gibt es nicht für Dateien im Format %{format}.',
  option_row_expected: '„%{name}“ muss die Nummer einer Zeile sein, von 1 bis %{limit}.',
  option_sheet_expected: '„%{name}“ muss der Name oder die Nummer eines Blattes sein.',
  parquet_damaged: 'Die Parquet-Datei ist beschädigt oder unvollständig (%{message}).',
  parquet_encrypted: 'Die Parquet-Datei ist verschlüsselt.',
  parquet_without_columns: 'Die Parquet-Datei hat keine Spalten.',
  parquet_part_too_large:
    'Ein Teil der Parquet-Datei hat %{size} Byte. In den Speicher passen bis zu %{limit}.',
  parquet_codec_unknown:
    'Die Parquet-Datei ist mit %{codec} komprimiert. Das lässt sich hier nicht lesen.',
  cell_too_long_for_workbook:
    'Der Text für die Zelle %{cell} hat %{length} Zeichen. Eine Zelle einer Arbeitsmappe fasst %{limit}.',
  too_many_rows_for_workbook: 'Ein Blatt einer Arbeitsmappe fasst %{limit} Zeilen.',
  value_misfits_parquet: 'Parquet hat keinen Wert für %{value} in der Spalte %{column}.',
} satisfies SomeReasons;
