/** Reasons that concern a request: its body, headers and parameters. */
export const requestReasons = {
  body_stalled:
    'No further data arrived within {seconds} seconds. Chunk extensions are not supported; send the body with Content-Length.',
  body_too_large: 'It is larger than {limit} bytes.',
  body_nested_too_deep: 'It is nested more than {limit} levels deep.',
  body_object_too_large: 'It contains an object with more than {limit} members (BODY_MAX_MEMBERS).',
  body_has_too_many_values:
    'It contains more than {limit} values, including members and list entries (BODY_MAX_VALUES).',
  form_part_too_large: 'The part {name} before the file is too large.',
  form_has_too_many_parts: 'It has too many parts before the file.',
  form_without_file: 'It contains no file.',
  form_part_after_file: 'The part {name} must precede its file.',
  form_malformed: 'It is not well-formed multipart/form-data: {fault}.',
  body_length_ambiguous: 'Its length is given in more than one way.',
  body_json_invalid_near: 'It is not valid JSON near byte {at}.',
  body_json_ends_early: 'Unexpected end of JSON input.',
  body_member_proto: 'It contains a member named __proto__, which is not allowed.',
  body_not_utf8: 'It is not valid UTF-8.',
  body_number_beyond_exact_range:
    'The number {shown} at position {start} is beyond the exact range of JSON numbers; send it as text.',
  body_json_invalid: '{message} at position {position} (line {line} column {column}).',
  too_many_description_readers: 'Too many clients ask for descriptions at the same time.',
  refresh_token_missing: '"refresh_token" is required.',
  cookie_missing: 'The request does not contain this cookie.',
  json_object_body_expected: 'It must be an object.',
  two_tokens: 'The request contains a token in its header and another token in its query.',
  request_of_other_origin:
    'A page of another origin sent this request with a cookie of the user; see CORS_ORIGIN.',
  cookie_request_without_content_type:
    'A request with a session cookie must have a Content-Type, such as application/json.',
  second_factor_demanded:
    'A policy demands a second factor: POST /users/me/tfa/generate and /users/me/tfa/enable set it up.',
  only_administrators: 'Only administrators may do this.',
  idempotency_key_invalid:
    'The header {name} must have 1 to 255 visible ASCII characters, without blanks.',
  keys_or_query_missing: 'The body needs either "keys" or "query".',
  keys_list_expected: '"keys" must be a list of keys.',
  search_text_expected: '"search" must be a text.',
  search_empty_in_write: '"search" must not be empty in a write.',
  write_member_unknown: 'The body takes no "{member}".',
  update_body_shape:
    'The body must be a list of items, or an object with "keys" or "query" and "data".',
  delete_body_shape: 'The body must be a list of keys, or an object with "keys" or "query".',
  route_parameter_unknown: '"{name}" is not a parameter of this route, which takes {known}.',
  parameter_name_impossible: '"{name}": no parameter or field can have this name.',
  parameter_brackets_unbalanced: '"{name}" has unbalanced brackets.',
  too_many_parameters: 'The query string has more than {limit} parameters.',
  parameter_has_too_many_parts:
    '"{name}" has more than {limit} parts; send a list as JSON or with commas, or by SEARCH.',
  search_body_object_expected: 'The body of SEARCH must be an object.',
  search_member_unknown: 'The body of SEARCH takes "query" and "keys", not "{member}".',
  search_query_object_expected: '"query" must be an object.',
  search_query_too_large: '"query" has more than {limit} parameters.',
  search_keys_list_expected: '"keys" must be a list.',
  length_out_of_range: '"length" must be a whole number from 1 to {limit}.',
  cache_processes_unconfirmed: 'These processes have not confirmed: {processes}.',
  body_too_slow: 'The body arrived more slowly than {bytesPerSecond} bytes per second.',
  body_part_too_large: '{part} must not be larger than {limit} bytes ({variable}).',
  headers_too_large:
    'Its line and headers are larger than {limit} bytes; long queries go into the body of SEARCH.',
  if_match_of_several_items: 'If-Match is supported only for writes of one item by its key.',
  body_json_parser_message: '{message}.',
} as const;
