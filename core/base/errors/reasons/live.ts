/** Reasons that concern subscriptions and WebSockets. */
export const liveReasons = {
  event_read_too_slow: 'Reading what was written took too long.',
  subscription_of_aggregates:
    'A subscription is to items: "aggregate" and "groupBy" cannot be used.',
  too_many_subscriptions: 'One user may have {most} subscriptions.',
  live_collection_without_key: 'Items of "{name}" have no key, so nobody can be told of them.',
  message_data_item_expected: '"data" must be an item, or a list of items.',
  message_data_change_expected: '"data" must be what is to be changed.',
  message_target_missing: '"id", "ids" or "query" must say what is to be deleted.',
  message_ids_of_composite_key: 'Only items with a key of one field have "ids".',
  message_object_expected: 'A message is an object of JSON with "type".',
  message_member_invalid: '"{place}" is not as expected: {message}',
  too_many_connections: 'Too many of {limit} connections are taken already ({limitName}).',
  connection_not_logged_in: 'Others want to log in, and this connection has not done so.',
  websocket_of_other_origin: 'A page of another origin may not open a WebSocket; see CORS_ORIGIN.',
  websocket_connection_header:
    'The header Connection must name "upgrade". Proxies must pass it on with Upgrade.',
  too_many_websockets: 'One user may have {most} WebSockets.',
  message_version_unknown: 'This release cannot read version {version} of {kind} jobs ({path}).',
  too_many_subscriptions_of_connection:
    'A connection may have {limit} subscriptions (WEBSOCKETS_MAX_SUBSCRIPTIONS).',
  no_collection_of_items:
    '"{collection}" is no collection of items; system collections begin with "system_" and have routes of their own.',
  message_too_large: 'A message may have {limit} bytes; set a lower limit.',
  answer_ended_early: '{fault}',
} as const;
