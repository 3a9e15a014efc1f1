/** A name with its slash, latin1 (ISO 32000-2, 7.3.5). */
export function pdfName(text: string): string {
  const escaped = text.replace(
    /[^!-~]|[#()<>[\]{}/%]/g,
    (character) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `/${escaped}`;
}

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** A text string: ASCII as it is, anything else as UTF-16 (ISO 32000-2, 7.9.2.2). */
export function pdfText(text: string): string {
  if (isPlain(text)) return `(${text.replace(/[\\()]/g, '\\$&')})`;
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return `<${bytes.toString('hex').toUpperCase()}>`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** A date in UTC (ISO 32000-2, 7.9.4). */
export function pdfDate(date: Date): string {
  const day = `${date.getUTCFullYear()}${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  return `(D:${day}${two(date.getUTCHours())}${two(date.getUTCMinutes())}${two(date.getUTCSeconds())}Z)`;
}

/** A number without exponent, to a ten-thousandth. */
export function pdfNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}

export const pdfNumbers = (values: readonly number[]): string => `[${values.map(pdfNumber).join(' ')}]`;

/** The body of a stream object; `dict` without its brackets and without /Length. */
export function pdfStream(dict: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${dict}/Length ${data.length}>>\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream', 'latin1'),
  ]);
}
