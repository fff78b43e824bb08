/** Reasons that concern busy or unavailable parts of the service. */
export const serviceReasons = {
  cache_clearing_unconfirmed:
    'The change was written, but not every process could be asked to clear its cache.',
  contact_lost: 'This process lost contact with it.',
  change_unconfirmed:
    'The change was written, but it is not certain that every process has applied it.',
  still_referred_to: 'Other items still refer to the item.',
  still_referred_to_by: 'Items of "{collection}" still refer to the item.',
  no_item_with_key: 'No item has this key.',
  no_item_of_collection_with_key: 'No item of "{collection}" has this key.',
  database_condition_broken: 'A condition of the database does not hold.',
  item_refused_by_database: 'The database refuses the item.',
  value_misfits_field_type: 'A value does not fit the type of its field.',
  answer_too_large:
    "The database's answer is larger than {limit} bytes. Ask for fewer items or fields at a time, or leave out the largest values.",
  database_unreachable: 'The database cannot be reached or is too busy.',
  statement_too_large: 'More than {limit} {bounds}',
  statement_too_slow: 'The statement took longer than QUERY_TIMEOUT allows.',
  database_cannot_do_this_now: 'The database cannot do this right now.',
  lock_wait_ended:
    'The write waited for a lock of another session, and other requests needed the connection.',
  value_contains_nul: 'A value contains a NUL character.',
  too_many_long_answers: 'All of the {max} long answers that STREAM_MAX allows are being read.',
  too_many_long_answers_of_holder: 'At most {limit} long answers may be read at once.',
  values_exceed_memory:
    'Its values need more memory than an edge has ({variable}); send fewer at a time.',
  memory_exhausted:
    'The request needs more memory than is free for you; send less at the same time.',
  no_link_for_user:
    'Only invited and active users who sign in with a password here can get a link.',
  no_mail_server: 'This installation has no mail server: EMAIL_TRANSPORT is not set.',
  only_administrators_clear_cache: 'Only administrators clear the cache.',
  too_many_new_queries: 'Too many new queries wait for their turn.',
  too_many_invited: 'At most {limit} addresses may be invited at once.',
  preset_field_unknown: '"presets.{field}": "{collection}" has no such field.',
  schema_changed_during_attempts: 'The schema changed during each attempt.',
  stored_email_unusable: 'The stored address of the user is not one that mail can be sent to.',
  operation_misfits_types: 'PostgreSQL has no such operation for the types of these fields.',
  query_unanswerable: 'PostgreSQL cannot evaluate this query.',
  database_message: 'PostgreSQL says: {message}',
} as const;
