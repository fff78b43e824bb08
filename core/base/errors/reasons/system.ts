/** Reasons that concern items of system collections. */
export const systemReasons = {
  only_administrators_change_administrators: 'Only administrators change administrators.',
  variable_unknown: '"{text}" is not a variable.',
  text_empty: '"{name}" must not be empty.',
  file_type_missing: '"type" is required for a file without content.',
  storage_of_new_files_only: 'Field "storage" of "system_files" can be set only for new files.',
  file_type_given_by_content: 'The content determines the type of a file.',
  name_empty: '"name" must not be empty.',
  folder_inside_itself: 'A folder cannot be inside itself.',
  presets_object_expected: '"presets" must be an object.',
  fields_list_expected: '"fields" must be a list of names.',
  action_unknown: '"action" must be one of {actions}.',
  ip_access_invalid:
    '"ip_access" accepts addresses, ranges and CIDR blocks; "{wrong}" is none of them.',
  role_above_itself: 'A role cannot be above itself.',
  password_policy_invalid: '"auth_password_policy" is not a valid regular expression.',
  second_factor_secret_not_written:
    '"tfa_secret" cannot be written; the user enables the second factor.',
  only_administrators_write_fields: 'Only administrators write "{fields}".',
  token_text_expected: '"token" must be a text.',
  current_password_needed:
    'Changing one\'s own e-mail address or password needs "{member}" or a login of the last 15 minutes.',
  foreign_prefix: '"{collection}": system collections have the prefix system_, not {prefix}.',
  only_administrators_appoint_administrators:
    'Only administrators can grant or revoke administrator access.',
  forbidden_or_missing: 'You may not do this, or it does not exist.',
  stored_json_invalid: '{message}',
  ip_access_empty: '"ip_access" contains no address; only null allows any address.',
  named_role_above_itself: 'The role {name} would be its own ancestor.',
} as const;
