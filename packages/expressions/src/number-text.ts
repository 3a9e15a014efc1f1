/** Digits that a JSON number carries reliably. */
const DIGITS_MAX = 15;

/** A number as decimal text without exponent, with at most 15 significant digits: 0.1 + 0.2 is `0.3`. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const text = String(Number(value.toPrecision(DIGITS_MAX)));
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', first = '', others = '', exponent = '0'] = parts;
  const digits = first + others;
  const point = 1 + Number(exponent);
  return sign + (point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0'));
}
