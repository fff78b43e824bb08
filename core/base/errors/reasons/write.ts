/** Reasons that concern written items. */
export const writeReasons = {
  too_many_items_written:
    'The request writes more items than MAX_BATCH_MUTATION ({limit}) allows, including related items and items removed from lists.',
  field_kept_by_server: 'Only the server can write field "{first}" of "{name}".',
  object_expected: '{place} must be an object.',
  computed_field_written: 'Field "{name}" is computed by the database and takes no value.',
  field_unknown: '"{name}" has no field "{unknown}".',
  relation_cannot_hold_collection: '"{place}" cannot refer to an item of {name}.',
  key_missing: '{place} has no key.',
  discriminator_missing: '{place} also needs "{discriminator}" with the collection of the item.',
  relation_cannot_hold_named_collection: '{place} cannot refer to an item of "{name}".',
  relation_changes_unknown_member:
    '{place} supports "create", "update" and "delete", but not "{unknown}".',
  relation_list_or_changes_expected:
    '{place} must be a list, or an object with "create", "update" and "delete".',
  relation_list_expected: '{place} must be a list.',
  relation_key_or_object_expected: '{place} must be a key or an object.',
  junction_key_unknown:
    '{place} is no key of "{collection}" or you have no permission to access it. To link an item, send {link}.',
  item_kept_and_removed: '"{place}" is both kept in and removed from the same list.',
  composite_key_expected: '"{place}" must be a list of {width} values, or an object.',
  key_change_not_allowed: '"{place}" is part of the item\'s key, which does not change.',
  secret_text_expected: 'Field "{field}": a secret must be a text that is not empty, or null.',
  revision_fields_gone:
    'The revision has values for fields that "{collection}" no longer has: {fields}.',
  revision_without_data: 'The revision has no data to revert to.',
  write_collection_without_key: 'Items of "{name}" have no key and cannot be written.',
  preset_path_unresolved:
    'The preset of "{field}" cannot be resolved: the path "{path}" does not exist.',
  items_not_kept_by_database: 'The database did not keep every item of "{collection}".',
  value_beyond_json_range: 'a number is beyond the range of JSON numbers; send it as text.',
  element_row_as_text: 'an element that is a row is written as a text.',
  field_type_without_objects: 'a field of type {type} cannot contain an object or a list.',
  payload_value_missing: 'the value is missing.',
  real_would_round: 'a column of type real would change this number.',
} as const;
