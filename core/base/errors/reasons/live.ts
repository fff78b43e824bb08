/** Reasons that concern subscriptions and WebSockets. */
export const liveReasons = {
  event_read_too_slow: 'Reading what was written took too long.',
  subscription_of_aggregates:
    'A subscription returns items and does not support "aggregate" and "groupBy".',
  too_many_subscriptions: 'One user may have {most} subscriptions.',
  live_collection_without_key: 'Items of "{name}" have no key, so changes of them cannot be sent.',
  message_data_item_expected: '"data" must be an item, or a list of items.',
  message_data_change_expected: '"data" must contain the changes.',
  message_target_missing: '"id", "ids" or "query" must select the items to delete.',
  message_ids_of_composite_key: 'Only items with a key of one field have "ids".',
  message_object_expected: 'A message must be a JSON object with "type".',
  message_member_invalid: '"{place}" is not as expected: {message}',
  too_many_connections: 'Too many of {limit} connections are taken already ({limitName}).',
  connection_not_logged_in:
    'This connection has not logged in, and other clients need a connection.',
  websocket_of_other_origin: 'A page of another origin may not open a WebSocket; see CORS_ORIGIN.',
  websocket_connection_header:
    'The header Connection must contain "upgrade". Proxies must forward it together with Upgrade.',
  too_many_websockets: 'One user may have {most} WebSockets.',
  message_version_unknown: 'This release cannot read version {version} of {kind} jobs ({path}).',
  too_many_subscriptions_of_connection:
    'A connection may have {limit} subscriptions (WEBSOCKETS_MAX_SUBSCRIPTIONS).',
  no_collection_of_items:
    '"{collection}" is not a collection of items. System collections begin with "system_" and have their own routes.',
  message_too_large: 'A message may have {limit} bytes; set a lower limit.',
  answer_ended_early: '{fault}',
} as const;
