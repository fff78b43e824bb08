/**
 * Why the server refuses something, by the name of the reason: the sentences of its catalogue, which
 * `tests/ops/reasons.test.ts` writes, and words of the App's own where those are plainer.
 */
import type { ReasonTexts, SomeReasons } from '../reason-texts.ts';
import sentences from './reason-sentences.json' with { type: 'json' };

const plainer = {
  // Values
  value_text_expected: 'This must be a text.',
  value_whole_number_expected: 'This must be a whole number.',
  value_misfits_bits: 'This number is too large or too small for the field (%{bits} bits).',
  value_decimal_expected: 'This must be a number.',
  decimal_too_large: 'This number is larger than the field can hold.',
  decimal_has_too_many_digits: 'This number has more than %{limit} digits before the point.',
  value_number_expected: 'This must be a number.',
  value_misfits_float: 'This number is too large or too small for the field (%{bits} bits).',
  too_many_characters: 'This text has more than %{limit} characters.',
  value_json_expected: 'This must be JSON.',
  value_holds_nul: 'This contains a NUL character, which cannot be stored.',
  value_holds_escaped_nul: 'This contains a NUL character, which cannot be stored.',
  value_has_unpaired_surrogate: 'This contains half a character, which cannot be stored.',
  value_not_well_formed: 'This contains half a character, which cannot be stored.',
  value_one_of_expected: 'This must be one of: %{values}',
  value_list_expected: 'This must be a list.',
  value_names_database_object:
    'This names an object of the database; such fields are written by SQL alone.',
  value_boolean_expected: 'This must be true or false.',
  value_date_expected: 'This must be a date that exists, such as 2024-02-29.',
  value_time_expected: 'This must be a time of day, such as 13:45:00.',
  value_date_time_expected: 'This must be a date and time, such as 2024-02-29T13:45:00.',
  value_timestamp_expected: 'This must be a date and time, such as 2024-02-29T13:45:00Z.',
  value_uuid_expected: 'This must be a UUID.',
  value_geometry_expected: 'This must be a geometry in GeoJSON.',
  value_bytes_expected: 'This must be bytes in hexadecimal, such as \\x00ff.',
  value_misfits_field_type: 'This value does not fit the field.',
  value_misfits_field: 'This value does not fit the field.',
  value_fails_validation: 'This value is invalid.',
  value_not_unique: 'Another item already has this value.',
  value_missing: 'A value is required.',
  value_refers_to_no_item: 'The referenced item does not exist, or other items still refer to it.',
  value_out_of_range: 'This number is too large or too small.',
  value_too_long: 'This text is too long.',
  secret_text_expected: 'A secret must be a text, or have no value.',
  computed_field_written: 'The field "%{name}" is computed by the database and takes no value.',
  // Items
  value_missing_without_default: 'This field needs a value.',
  row_without_match_value: 'By this field the item is found, so it needs a value.',
  no_item_to_update: 'There is no item with this key to change.',
  no_item_with_key: 'There is no item with this key.',
  no_item_of_collection_with_key: 'There is no such item in "%{collection}".',
  link_to_hidden_item: 'The item does not exist, or you may not use it.',
  still_referred_to: 'Other items still refer to this.',
  still_referred_to_by: 'Items of "%{collection}" still refer to this.',
  check_does_not_hold: 'A condition of the database does not hold: %{name}',
  row_breaks_rule: 'A condition of the database does not hold.',
  item_refused_by_database: 'A condition of the database does not hold.',
  database_message: 'The database says: %{message}',
  revision_without_data: 'This state was not kept, so that nothing can be reverted to it.',
  // Rights
  forbidden_or_missing: 'You don’t have permission, or the object does not exist.',
  no_permission_for_collection:
    'You may not do this with the collection "%{collection}", or it does not exist.',
  no_permission_for_field:
    'You may not do this with the field "%{field}" of the collection "%{collection}", or it does not exist.',
  no_permission_for_relation:
    'You may not do this with the relation of the field "%{field}" of the collection "%{collection}", or it does not exist.',
  no_permission_for_fields:
    'You may not do this with the fields %{fields} of the collection "%{collection}", or they do not exist.',
  // Imports
  members_fill_field_twice: 'The row fills the field %{name} twice.',
  import_field_unknown: 'There is no field %{field}.',
  import_field_computed: 'The field %{field} gets its value from the database.',
  import_field_numbered: 'The field %{field} gets its value from the database.',
  only_links_to_items: 'A file may refer to these items, but neither create nor change them.',
  too_many_secrets_in_file: 'A file can bring at most %{limit} secrets.',
  header_column_without_name: 'The first line has a column without a name.',
  // Forms of people, of files and of the data model
  second_factor_in_use: 'There is a second factor already.',
  second_factor_code_wrong: 'This is not the current code, or it was used before.',
  second_factor_secret_not_generated: 'That took longer than ten minutes. Begin again, please.',
  second_factor_not_in_use: 'There is no second factor.',
  name_empty: 'A name is missing.',
  password_policy_invalid: 'This is not a regular expression.',
  file_type_unwanted: 'The file is of type %{type}, which is not accepted here.',
  file_type_not_allowed: 'Files of type %{type} are not accepted.',
  collection_name_taken: 'There is a collection or a table called %{name} already.',
  no_collection_with_table: 'There is no collection %{collection} with items.',
  group_within_itself: '%{collection} cannot stand within itself.',
  group_without_metadata: 'The group of %{collection} is not there.',
  primary_key_not_nullable: '%{field} is the primary key of %{name} and cannot be empty.',
  default_too_long: 'The default value has more than the %{limit} characters of the field.',
  max_length_out_of_range: 'The maximum length is a number from 1 to %{limit}.',
  snapshot_with_system_collection:
    'The snapshot contains %{collection}, a collection of the system.',
  snapshot_collection_twice: 'The snapshot lists %{collection} twice.',
  items_share_value:
    'Items of %{collection} have the same value, so that %{field} cannot become unique.',
  // Rows of files
  database_refuses_row: 'A condition of the database does not hold.',
  database_says: 'The database says: %{message}',
  secret_of_file_text_expected: 'A secret must be a text, or have no value.',
  text_after_closing_quote:
    'After the closing quote of a cell must come the next cell or the end of the line.',
  cell_quote_not_closed: 'A quote is not closed.',
  quote_inside_bare_cell: 'There is a quote inside a cell that does not begin with one.',
  row_not_utf8: 'The row is not written in UTF-8.',
  line_not_utf8: 'The row is not written in UTF-8.',
  file_not_in_encoding: 'Here the file is not written in %{encoding}.',
  json_array_expected: 'The file must be a JSON list of objects.',
  row_object_expected: 'Every row must be a JSON object.',
  members_name_field_twice: 'The row names the field %{name} twice.',
  import_file_empty: 'The file is empty. Its first line must name the columns.',
  mapping_column_missing: 'The file has no column %{name}.',
  header_names_field_twice: 'The first line names %{name} twice.',
  key_column_missing: 'The file has no column by which items are found.',
  named_key_column_missing: 'The file has no column %{field}, by which items are found.',
  decimal_comma_with_point: 'The decimal sign is a comma, so there can be no point.',
  date_misfits_format: 'This is not a date that exists, written as %{format}.',
  list_misfits_field: 'This field takes no list.',
  object_misfits_field: 'This field takes no JSON object.',
  related_items_nested_too_deep: 'Related items can be nested %{limit} deep.',
} satisfies SomeReasons;

export const reason: ReasonTexts = { ...sentences, ...plainer };
