/** Reasons that concern workbooks and Parquet files. */
export const tableFileReasons = {
  workbook_expected: 'The file is no Excel workbook (.xlsx).',
  workbook_damaged: 'The workbook is damaged or incomplete ({message}).',
  workbook_with_macros:
    'The workbook contains macros; save it as a workbook without macros (.xlsx).',
  workbook_binary: 'The workbook is binary (.xlsb); save it as .xlsx.',
  workbook_old_or_encrypted:
    'The file is an old workbook (.xls) or is protected by a password; save it as .xlsx without a password.',
  workbook_text_too_long: 'The part {part} contains a text of more than {limit} bytes.',
  table_row_too_long: 'A row has more than {limit} bytes.',
  sheet_unknown: 'The workbook has no sheet {sheet}; its sheets are {names}.',
  sheet_empty: 'The sheet is empty; its first row must name the fields.',
  sheet_out_of_order: 'The sheet is damaged after row {row}.',
  header_row_empty: 'Row {row} of the sheet, which must name the fields, is empty.',
  cell_shows_error: 'The cell {cell} shows the error {error}.',
  cell_without_result:
    'The formula in the cell {cell} has no stored result; open and save the file in a spreadsheet program.',
  cell_without_header: 'The cell {cell} has a value, but its column has no name.',
  too_many_shared_texts: 'A workbook may have up to {limit} different texts.',
  option_of_workbooks_only: '"{name}" is an option of Excel workbooks, and this is {format}.',
  option_misfits_format: '"{name}" is no option of files in the format {format}.',
  option_row_expected: '"{name}" must be the number of a row, from 1 to {limit}.',
  option_sheet_expected: '"{name}" must be the name or the number of a sheet.',
  parquet_damaged: 'The Parquet file is damaged or incomplete ({message}).',
  parquet_encrypted: 'The Parquet file is encrypted.',
  parquet_without_columns: 'The Parquet file has no columns.',
  parquet_part_too_large:
    'A part of the Parquet file has {size} bytes; up to {limit} fit into memory.',
  parquet_codec_unknown: 'The Parquet file is compressed with {codec}, which cannot be read.',
  cell_too_long_for_workbook:
    'The text for the cell {cell} has {length} characters; a cell of a workbook holds {limit}.',
  too_many_rows_for_workbook: 'A sheet of a workbook holds {limit} rows.',
  value_misfits_parquet: 'Parquet has no value for {value} in the column {column}.',
} as const;
