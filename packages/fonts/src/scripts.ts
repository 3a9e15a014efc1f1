/** Scripts that fonts are made for, as Unicode calls them (UAX #24). Others are shaped without their own rules. */
const SCRIPTS = [
  'Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil',
  'Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer Georgian Hangul Han Hiragana Katakana Bopomofo',
  'Ethiopic Cherokee Canadian_Aboriginal Mongolian Yi Tifinagh Javanese Balinese Sundanese Cham Tai_Tham Tai_Le',
  'New_Tai_Lue Tai_Viet Meetei_Mayek Ol_Chiki Adlam Hanifi_Rohingya Lisu Bamum Vai Chakma Limbu Lepcha Saurashtra',
  'Rejang Batak Buginese Tagalog Hanunoo Buhid Tagbanwa Mandaic Samaritan Syloti_Nagri Kayah_Li Newa Tirhuta Grantha',
  'Khojki Sharada Kaithi Mahajani Modi Takri Wancho Osage Miao Medefaidrin Coptic Glagolitic Gothic Runic Ogham',
]
  .join(' ')
  .split(' ')
  .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));
const SHARED = /\p{Script=Common}|\p{Script=Inherited}/u;
const CHARACTERS_KEPT_MAX = 20_000;

const known = new Map<string, string>();

/**
 * The script of a character, such as `Devanagari`. Empty for characters that several scripts share, such as spaces, and
 * `Other` for rare scripts.
 */
export function scriptOf(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  const script = SHARED.test(character)
    ? ''
    : (SCRIPTS.find(({ pattern }) => pattern.test(character))?.name ?? 'Other');
  if (known.size >= CHARACTERS_KEPT_MAX) known.clear();
  known.set(character, script);
  return script;
}
