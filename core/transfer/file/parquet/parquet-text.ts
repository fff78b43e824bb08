/** The texts of Parquet values in PostgreSQL's notation, with all of their digits. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** An unscaled whole number as a decimal. */
export function decimalText(unscaled: bigint | number, scale: number): string {
  const digits = String(unscaled);
  if (scale <= 0) return digits + '0'.repeat(digits === '0' ? 0 : -scale);
  const isNegative = digits.startsWith('-');
  const own = (isNegative ? digits.slice(1) : digits).padStart(scale + 1, '0');
  const text = `${own.slice(0, -scale)}.${own.slice(-scale)}`;
  return isNegative ? `-${text}` : text;
}

/** A whole number in big-endian two's complement. */
export function wholeOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}

/** The shortest text of a number with single precision. */
export function singleText(value: number): string {
  if (!Number.isFinite(value) || Math.fround(value) !== value) return doubleText(value);
  for (let digits = 6; digits < 9; digits += 1) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return Object.is(value, -0) ? '-0' : text;
  }
  return doubleText(value);
}

export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A number with half precision, from its two bytes. */
export function halfOf(bytes: Uint8Array): number {
  const bits = ((bytes[1] ?? 0) << 8) | (bytes[0] ?? 0);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1_024);
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1_024);
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** A fraction of a second without zeros at its end. */
function fractionText(micros: number): string {
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
}

/** The day that a date lies after 1 January 1970. */
export function dateText(days: number): string {
  const date = new Date(days * DAY_MS);
  if (Number.isNaN(date.getTime())) return String(days);
  const year = date.getUTCFullYear();
  const rest = `-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return year > 0
    ? `${String(year).padStart(4, '0')}${rest}`
    : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

/** A time of day by its microseconds. */
export function timeText(micros: number): string {
  const minutes = Math.floor(micros / (MINUTE_MS * 1_000));
  const rest = micros - minutes * MINUTE_MS * 1_000;
  const seconds = Math.floor(rest / 1_000_000);
  const fraction = fractionText(rest - seconds * 1_000_000);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds)}${fraction}`;
}

/** A moment by whole milliseconds since 1970 and the microseconds after them. */
export function momentText(millis: number, micros: number, isUtc: boolean): string {
  const days = Math.floor(millis / DAY_MS);
  const date = dateText(days);
  const time = timeText((millis - days * DAY_MS) * 1_000 + micros);
  const zone = isUtc ? 'Z' : '';
  return date.endsWith(' BC') ? `${date.slice(0, -3)} ${time}${zone} BC` : `${date}T${time}${zone}`;
}

/** An interval of months, days and milliseconds, in ISO 8601. */
export function intervalText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, millis] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return `P${months}M${days}DT${(millis ?? 0) / 1_000}S`;
}

/** A UUID from its 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
}
