/** Reasons that concern items of system collections. */
export const systemReasons = {
  only_administrators_change_administrators: 'Only administrators change administrators.',
  variable_unknown: '"{text}" is not a variable.',
  text_empty: '"{name}" must not be empty.',
  file_type_missing: '"type" must be given for a file without content.',
  storage_of_new_files_only: 'Field "storage" of "system_files" can only be given to new files.',
  file_type_given_by_content: 'The type of a file is that of its content.',
  name_empty: '"name" must not be empty.',
  folder_inside_itself: 'A folder cannot be inside itself.',
  presets_object_expected: '"presets" must be an object.',
  fields_list_expected: '"fields" must be a list of names.',
  action_unknown: '"action" must be one of {actions}.',
  ip_access_invalid:
    '"ip_access" takes addresses, ranges and CIDR blocks; "{wrong}" is none of them.',
  role_above_itself: 'A role cannot be above itself.',
  password_policy_invalid: '"auth_password_policy" is no regular expression.',
  second_factor_secret_not_written:
    '"tfa_secret" is not written; a second factor is enabled by its user.',
  only_administrators_write_fields: 'Only administrators write "{fields}".',
  token_text_expected: '"token" must be a text.',
  current_password_needed:
    'Changing one\'s own e-mail address or password needs "{member}" or a login of the last 15 minutes.',
  foreign_prefix: '"{collection}": system collections have the prefix system_ here, not {prefix}.',
  only_administrators_appoint_administrators: 'Only administrators decide who is an administrator.',
  forbidden_or_missing: 'You may not do this, or it does not exist.',
  stored_json_invalid: '{message}',
  ip_access_empty: '"ip_access" holds no address; only null lets in from anywhere.',
  named_role_above_itself: 'The role {name} would be its own ancestor.',
} as const;
