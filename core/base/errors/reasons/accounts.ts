/** Reasons that concern logins, accounts and permissions. */
export const accountsReasons = {
  job_user_inactive: 'The user of the job is no longer active.',
  no_policy_at_job_address: 'No policy of the user applies at the address of the job.',
  url_expired: 'The URL has expired.',
  url_signature_invalid: 'The signature of the URL is not valid.',
  email_filter_only_email: '"{place}" supports only "email", not "{other}".',
  last_administrator: 'The change would leave no active administrator.',
  url_not_allowed: '"{member}" is not a URL that may be used here.',
  current_password_wrong: '"{member}" is not the caller\'s password.',
  too_many_passwords_checked: 'Too many passwords are being checked right now.',
  password_too_long: 'A password may have up to {limit} bytes.',
  second_factor_in_use: 'A second factor is already in use.',
  second_factor_secret_not_generated:
    '"secret" is not the one that was generated for this user within the last ten minutes.',
  second_factor_code_wrong: '"otp" is not the current code, or it was used before.',
  second_factor_not_in_use: 'No second factor is in use.',
  registration_of_administrators:
    'The role for registration would make every registered user an administrator.',
  no_permission_for_collection:
    'You have no permission to {to} collection "{collection}" or it does not exist{where}.',
  no_permission_for_field:
    'You have no permission to {to} field "{field}" in collection "{collection}" or it does not exist{where}.',
  no_permission_for_relation:
    'You have no permission to {to} the relation of field "{field}" in collection "{collection}" or it does not exist{where}.',
  no_permission_for_fields:
    'You have no permission to {to} the fields {fields} in collection "{collection}" or they do not exist{where}.',
} as const;
