/** What a new field can begin with: an interface with the type that its values usually have. */
import type { DrawingName } from './editor-pictures.tsx';

export interface Editor {
  /** Of its picture and its texts. */
  readonly name: DrawingName;
  readonly type: string;
  readonly shown: string;
}

function editor(name: DrawingName, type: string, shown: string): Editor {
  return { name, type, shown };
}

export const EDITORS: readonly Editor[] = [
  editor('line', 'string', 'input'),
  editor('paragraph', 'text', 'input-multiline'),
  editor('markdown', 'text', 'input-rich-text-md'),
  editor('html', 'text', 'input-rich-text-html'),
  editor('number', 'integer', 'input'),
  editor('decimal', 'decimal', 'input'),
  editor('slider', 'integer', 'slider'),
  editor('switch', 'boolean', 'boolean'),
  editor('date', 'date', 'datetime'),
  editor('moment', 'timestamp', 'datetime'),
  editor('time', 'time', 'datetime'),
  editor('dropdown', 'string', 'select-dropdown'),
  editor('radio', 'string', 'select-radio'),
  editor('checkboxes', 'json', 'select-multiple-checkbox'),
  editor('multi', 'json', 'select-multiple-dropdown'),
  editor('tags', 'csv', 'tags'),
  editor('suggestions', 'string', 'input-autocomplete'),
  editor('colour', 'string', 'select-color'),
  editor('icon', 'string', 'select-icon'),
  editor('secret', 'hash', 'input-hash'),
  editor('code', 'text', 'input-code'),
  editor('json', 'json', 'input-code'),
  editor('point', 'geometry.Point', 'map'),
  editor('bytes', 'binary', 'binary'),
  editor('group', 'alias', 'group-detail'),
  editor('accordion', 'alias', 'group-accordion'),
  editor('divider', 'alias', 'presentation-divider'),
  editor('notice', 'alias', 'presentation-notice'),
  editor('links', 'alias', 'presentation-links'),
];
