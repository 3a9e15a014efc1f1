import { decimalOf, describe } from '../decimals.ts';
import { DataError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { Use } from './formatter.ts';

const PLACE = /%[-+0 ]{0,5}\d{0,3}(?:\.\d{1,2})?[sdif]/;
const PERCENT = /%([-+0 ]{0,5})(\d{1,3})?(?:\.(\d{1,2}))?([sdif%])/g;
const BRACES = /\{\{|\}\}|\{([^{}]*)\}/g;
const FIELD =
  /^(\d{0,3})(?::(?:(.)(?=[<>^=]))?([<>^=])?([-+ ]?)(0?)(\d{0,3})(,?)(?:\.(\d{1,2}))?([sdf%]?))?$/u;

/** How Python writes a value. */
interface Form {
  type: string;
  sign?: string | undefined;
  digits?: string | undefined;
  isGrouped?: boolean;
}

/** A text with `%s`, `%d`, `%05.2f` and `%%`, or with `{}`, `{0}` and `{:,.2f}`, and the values for them. */
export function printed(pattern: string, use: Use): string {
  let used = 0;
  const next = () => use.args[used++];
  if (PLACE.test(pattern))
    return pattern.replace(PERCENT, (_, flags: string, width, digits, type: string) => {
      if (type === '%') return '%';
      const text = shown(
        next(),
        { type: type === 'i' ? 'd' : type, sign: /\+/.exec(flags)?.[0], digits },
        use,
      );
      const align = flags.includes('-') ? '<' : flags.includes('0') ? '=' : '>';
      return aligned(text, align, align === '=' ? '0' : ' ', Number(width ?? 0));
    });
  return pattern.replace(BRACES, (written: string, field?: string) => {
    if (field === undefined) return written.charAt(0);
    const parts = FIELD.exec(field);
    if (parts === null) throw new DataError(use.path, `${describe(field)} is not a format`);
    const [, index, fill, align, sign, zero, width, comma, digits, type = ''] = parts;
    const value = index === '' || index === undefined ? next() : use.args[Number(index)];
    const isNumber = type === 'd' || type === 'f' || type === '%' || typeof value === 'number';
    const form = {
      type: type || (digits || comma || sign ? 'f' : 's'),
      sign,
      digits,
      isGrouped: comma === ',',
    };
    const text = shown(
      value,
      type === '' && digits === undefined && comma ? { ...form, type: 'n' } : form,
      use,
    );
    const side = align ?? (zero === '0' ? '=' : isNumber ? '>' : '<');
    return aligned(text, side, fill ?? (zero === '0' ? '0' : ' '), Number(width || 0));
  });
}

function shown(value: Json | undefined, { type, sign, digits, isGrouped }: Form, use: Use): string {
  if (type === 's' || type === '') return use.settings.text(value, use.path);
  const number = type === '%' ? decimalOf(value, use.path).times(100) : decimalOf(value, use.path);
  const places = type === 'd' ? 0 : type === 'n' ? undefined : Number(digits ?? 6);
  const exact = type === 'd' ? number.trunc() : number;
  const plain = places === undefined ? exact.toFixed() : exact.toFixed(places);
  const [whole = '', fraction] = plain.split('.');
  const grouped = isGrouped === true ? inThousands(whole) : whole;
  const before = plain.startsWith('-') || sign === undefined || sign === '-' ? '' : sign;
  return `${before}${grouped}${fraction === undefined ? '' : `.${fraction}`}${type === '%' ? '%' : ''}`;
}

/** With commas, in linear time. */
function inThousands(whole: string): string {
  const [sign, figures] = whole.startsWith('-') ? ['-', whole.slice(1)] : ['', whole];
  const head = figures.slice(0, figures.length % 3);
  const groups = figures.slice(head.length).match(/\d{3}/g) ?? [];
  return sign + [...(head === '' ? [] : [head]), ...groups].join(',');
}

function aligned(text: string, align: string, fill: string, width: number): string {
  const missing = width - text.length;
  if (missing <= 0) return text;
  if (align === '<') return text.padEnd(width, fill);
  if (align === '^') return text.padStart(text.length + Math.floor(missing / 2), fill).padEnd(width, fill);
  const sign = align === '=' ? (/^[-+ ]/.exec(text)?.[0] ?? '') : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, fill);
}
