/**
 * The sentences with which the server says why it refuses a value or a row, with the keys of the App's
 * own texts for them. A test holds that the server still says them, and that both languages know them.
 */

/** A sentence as it was recognised. */
export interface Recognised {
  /** The last part of the key of its text. */
  readonly key: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** `%{name}` stands for what differs from time to time. */
export const SERVER_WORDS: Readonly<Record<string, string>> = {
  'The value must be a text.': 'text',
  'The value must be a whole number.': 'whole',
  'The value does not fit into %{bits} bits.': 'wholeRange',
  'The value must be a decimal number.': 'decimal',
  'The value is larger than a decimal can be.': 'decimalRange',
  'The value has more than %{count} digits before the point.': 'digits',
  'The value must be a number.': 'number',
  'The value does not fit a floating-point number of %{bits} bits.': 'floatRange',
  'The value has more than %{count} characters.': 'characters',
  'The value must be JSON.': 'json',
  'The value holds \\u0000, which PostgreSQL cannot store.': 'nul',
  'The value holds a NUL character, which PostgreSQL cannot store.': 'nul',
  'The value contains an unpaired surrogate, which is not a character.': 'surrogate',
  'The value must be one of %{values}.': 'oneOf',
  'The value must be a list.': 'list',
  'The value would name an object of the database; only SQL writes such a field.': 'objectName',
  'The value must be true or false.': 'boolean',
  'The value must be a date such as 2024-02-29.': 'date',
  'The value must be a time of day such as 13:45:00.': 'time',
  'The value must be a date and time such as 2024-02-29T13:45:00.': 'dateTime',
  'The value must be a date and time such as 2024-02-29T13:45:00Z.': 'timestamp',
  'The value must be a UUID.': 'uuid',
  'The value must be a geometry in GeoJSON.': 'geometry',
  'The value must be bytes in hexadecimal, such as \\x00ff.': 'bytes',
  'A value does not fit the type of its field.': 'misfit',
  'The value does not fit this field.': 'misfit',
  'A list does not fit this field.': 'noList',
  'An object does not fit this field.': 'noObject',
  'A number with "decimal=," takes no point.': 'decimalComma',
  'It is not written as %{notation}, which is the "date_format".': 'dateFormat',
  'A secret must be a text that is not empty, or null.': 'secret',
  'The field takes no null and has no default.': 'lacking',
  'The row has no value for a field by which its item is found.': 'noKey',
  'There is no item with this key to update.': 'nothingToUpdate',
  'No item has this key, and new ones are numbered by the database.': 'numbered',
  'Another item has this value already.': 'taken',
  'An earlier row of the file has this value already.': 'takenInFile',
  'There is no item with this key.': 'noItem',
  'No item has this key.': 'noItem',
  'There is no such item in "%{collection}".': 'noItemIn',
  'No item of "%{collection}" has this key.': 'noItemIn',
  'It refers to an item that does not exist, or that you may not access.': 'noLink',
  'Other items still refer to the item.': 'referredTo',
  'Items of "%{collection}" still refer to the item.': 'referredToFrom',
  'The check "%{name}" does not hold.': 'check',
  'A condition of the database does not hold.': 'condition',
  'The row breaks a rule of the database.': 'condition',
  'The database refuses the row.': 'condition',
  'The database refuses the item.': 'condition',
  'A value does not pass validation.': 'rule',
  'You may not do this, or it does not exist.': 'forbidden',
  'The row has %{cells} cells, the header has %{columns}.': 'cells',
  'The row is not UTF-8.': 'utf8',
  'The line is not UTF-8.': 'utf8',
  'Every row must be an object.': 'rowObject',
  'Two members name the field "%{field}".': 'twice',
  'Two members fill the field "%{field}".': 'twice',
  'The collection has no field "%{field}".': 'noField',
  'The field "%{field}" has no column of its own.': 'noColumn',
  'The field "%{field}" is computed by the database.': 'computed',
  'The field "%{field}" is numbered by the database.': 'computed',
  'Related items may be nested %{count} deep.': 'deep',
  'Files may refer to these items, but not create or change them.': 'linkOnly',
  'A file may bring at most %{count} values that are to be hashed.': 'secrets',
  'More than %{count} rows are faulty, so nothing is imported.': 'tooManyRows',
  'The file has no column "%{column}", which "mapping" names.': 'noSuchColumn',
  'The file has no column "%{column}", which the key needs.': 'noKeyColumn',
  'The file has no column for the key.': 'noKeyColumns',
  'The header names "%{name}" twice.': 'headerTwice',
  'The header has a column without a name.': 'headerUnnamed',
  'The file is empty; its first line must name the fields.': 'emptyFile',
  'The file must be an array of objects.': 'arrayOfObjects',
  'The file ends too early.': 'endsEarly',
  'A quote is not closed.': 'openQuote',
  'The quote is not closed.': 'openQuote',
  'A quote stands inside a cell that does not begin with one.': 'strayQuote',
  'Here the file is not %{encoding}.': 'encoding',
  // What forms of the data model, of people and of files are refused for.
  'A second factor is in use already.': 'tfaInUse',
  '"otp" is not the current code, or it was used before.': 'wrongCode',
  '"secret" is not the one that was generated for this user within the last ten minutes.':
    'tfaLate',
  'No second factor is in use.': 'tfaNone',
  'A password may have up to %{count} bytes.': 'longPassword',
  'There is something named %{name} already.': 'nameTaken',
  '%{collection} has a field %{field} already.': 'fieldTaken',
  'The field %{field} of %{collection} has a relation already.': 'relationTaken',
  'There is no collection %{collection} with a table.': 'noTable',
  'The group of %{collection} is within itself.': 'groupInItself',
  'The group of %{collection} is no collection with metadata.': 'noGroup',
  '%{field} is the primary key of %{collection} and cannot be null.': 'keyEmpty',
  'The primary key of %{collection} cannot be changed.': 'keyFixed',
  'The default has more than the %{count} characters of its field.': 'longDefault',
  'max_length is a number from 1 to %{count}.': 'maxLength',
  'A role cannot be above itself.': 'roleAbove',
  'A folder cannot be inside itself.': 'folderInside',
  '"name" must not be empty.': 'nameEmpty',
  'Up to %{count} addresses may be invited at once.': 'manyInvited',
  'The revision has no data to revert to.': 'noRevision',
  '"auth_password_policy" is no regular expression.': 'passwordPolicy',
  'The file is of type %{type}, which is not wanted.': 'fileType',
  'Files of type %{type} are not allowed (FILES_MIME_TYPE_ALLOW_LIST).': 'fileTypeForbidden',
  'A snapshot contains no system collections, but %{collection} is one.': 'snapshotSystem',
  'The collection %{collection} is listed twice.': 'snapshotTwice',
  'Items of %{collection} share a value, so %{field} cannot become unique.': 'sharedValue',
  'Field "%{field}" is computed by the database and takes no value.': 'computedField',
};

/** What elements of a list are told with, and fields of a payload. */
const IN_LIST = /^In the list: /;
const OF_FIELD = /^Field "(?:[^"\\]|\\.)*": /;

interface Pattern {
  readonly expression: RegExp;
  readonly key: string;
}

function patternOf([sentence, key]: readonly [string, string]): Pattern {
  const source = sentence
    .split(/%\{(\w+)\}/)
    .map((part, at) =>
      at % 2 === 1 ? `(?<${part}>[^]*)` : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    )
    .join('');
  return { expression: new RegExp(`^${source}$`), key };
}

const FIXED = new Map(
  Object.entries(SERVER_WORDS).filter(([sentence]) => !sentence.includes('%{')),
);
const PATTERNS = Object.entries(SERVER_WORDS)
  .filter(([sentence]) => sentence.includes('%{'))
  .map(patternOf);

/** Recognises what the server says; null for what it says of the database, or what is new. */
export function recognise(said: string): Recognised | null {
  const sentence = said.replace(OF_FIELD, '').replace(IN_LIST, '');
  const fixed = FIXED.get(sentence);
  if (fixed !== undefined) return { key: fixed, parameters: {} };
  for (const { expression, key } of PATTERNS) {
    const found = expression.exec(sentence);
    if (found !== null) return { key, parameters: { ...found.groups } };
  }
  return null;
}
