/** Character references; letters of a name may be written so (XML §4.1). */
const REFERENCE = /&#(?:(\d{1,7})|x([0-9a-f]{1,6}));/gi;
/** Comments, processing instructions and CDATA, which may split a text. What looks like one within another is text. */
const CUTS = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>/g;
/** Values of attributes, and quoted text. */
const QUOTED = /"[^"<]*"|'[^'<]*'/g;
const MARKUP = /[<>&"']/;

/** Returns the text of an XML part for a word search. Each word is in one piece, as readers see it, and no `>` is within a tag. */
export function plainMarkup(xml: string): string {
  const joined = /<[!?]/.test(xml) ? xml.replace(CUTS, (_, text = '') => escaped(text)) : xml;
  const whole = joined.replace(QUOTED, (value) => (value.includes('>') ? escaped(value) : value));
  return whole.includes('&#') ? whole.replace(REFERENCE, plainCharacter) : whole;
}

const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function plainCharacter(reference: string, decimal?: string, hexadecimal?: string): string {
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  return MARKUP.test(character) ? reference : character;
}

/** Whether a text has characters that an XML part can only contain as references. */
export const isMarkup = (text: string): boolean => MARKUP.test(text);
