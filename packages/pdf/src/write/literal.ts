/** Writes a name with its slash, latin1 (ISO 32000-2, 7.3.5). */
function name(value: string): string {
  const escaped = value.replace(
    /[^!-~]|[#()<>[\]{}/%]/g,
    (character) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `/${escaped}`;
}

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Writes a text string: ASCII unchanged, other text as UTF-16 (ISO 32000-2, 7.9.2.2). */
function text(value: string): string {
  if (isPlain(value)) return `(${value.replace(/[\\()]/g, '\\$&')})`;
  const bytes = Buffer.from(`\ufeff${value}`, 'utf16le').swap16();
  return `<${bytes.toString('hex').toUpperCase()}>`;
}

const two = (part: number): string => String(part).padStart(2, '0');

/** Writes a date in UTC (ISO 32000-2, 7.9.4). */
function date(time: Date): string {
  const day = `${time.getUTCFullYear()}${two(time.getUTCMonth() + 1)}${two(time.getUTCDate())}`;
  return `(D:${day}${two(time.getUTCHours())}${two(time.getUTCMinutes())}${two(time.getUTCSeconds())}Z)`;
}

/** Writes a number without an exponent, to four decimal places. */
function number(value: number): string {
  return String(Number(value.toFixed(4)));
}

const numbers = (values: readonly number[]): string => `[${values.map(number).join(' ')}]`;

/** Writes the body of a stream object; `dict` without its brackets and without /Length. */
function stream(dict: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${dict}/Length ${data.length}>>\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream', 'latin1'),
  ]);
}

/** Writers of PDF values; texts are latin1. */
export const literal = { name, text, date, number, numbers, stream };
