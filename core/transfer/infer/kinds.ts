/** The kinds that a value can have, as bits: types, notations of numbers, and objections. */

export const INTEGER = 1;
export const BIG = 2;
export const DECIMAL = 4;
export const BOOLEAN = 8;
export const DATE = 16;
export const DATE_TIME = 32;
export const TIMESTAMP = 64;
export const UUID = 128;
export const JSON_VALUE = 256;
export const TEXT = 512;
/** Numbers with a decimal comma, or with groups of digits. */
export const COMMA = 1_024;
export const GROUPED_BY_COMMA = 2_048;
export const GROUPED_BY_POINT = 4_096;
export const GROUPED_BY_SPACE = 8_192;
export const GROUPED_BY_APOSTROPHE = 16_384;
/** A number has a decimal sign, in its own notation. */
export const FRACTION = 32_768;
/** Digits that a number would lose, or that identify something: no number is meant. */
export const IDENTIFIER = 65_536;
/** Words for booleans other than `true` and `false`. */
export const YES = 131_072;
export const NO = 262_144;
