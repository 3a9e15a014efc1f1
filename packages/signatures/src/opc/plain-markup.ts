/** References to characters that are no markup; letters of a name may be written so (XML §4.1). */
const REFERENCE = /&#(?:(\d{1,7})|x([0-9a-f]{1,6}));/gi;
/** Comments, instructions and the frames of CDATA sections, by which a text may be cut to pieces. */
const CUTS = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[|\]\]>/g;
const MARKUP = /[<>&"']/;

/** The text of an XML part as one that looks for words in it needs it: each word as readers have it, in one piece. */
export function plainMarkup(xml: string): string {
  const whole = /<[!?]/.test(xml) ? xml.replace(CUTS, '') : xml;
  return whole.includes('&#') ? whole.replace(REFERENCE, plainCharacter) : whole;
}

function plainCharacter(reference: string, decimal?: string, hexadecimal?: string): string {
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  return MARKUP.test(character) ? reference : character;
}

/** Whether a text has characters that an XML part can only hold as references. */
export const isMarkup = (text: string): boolean => MARKUP.test(text);
