import { toCardinal as inHindi } from 'n2words/hi-IN';
import { toCardinal as inThai } from 'n2words/th-TH';
import { toCardinal as inVietnamese } from 'n2words/vi-VN';
import { numberAs } from '../fields/number-words.ts';

/** Writes a positive number. Undefined if it is not known how Word writes it. */
type Writer = (value: number) => string | undefined;

/** A number system with words for ten, hundred, thousand and ten thousand. */
interface CountingSystem {
  /** From 0 to 9. */
  digits: string;
  /** Ten, hundred, thousand. */
  units: string;
  tenThousand: string;
  /** Whether a one stands before a unit: always, never, or not at the beginning of 10 to 19. */
  ones: 'all' | 'none' | 'not in teens';
  /** Whether a zero stands for skipped units. */
  zeros: boolean;
}

const DIGITS = '〇一二三四五六七八九';
const ROUND_DIGITS = '○一二三四五六七八九';
const CHINESE: CountingSystem = {
  digits: DIGITS,
  units: '十百千',
  tenThousand: '万',
  ones: 'not in teens',
  zeros: true,
};
const TAIWANESE = { ...CHINESE, digits: '零一二三四五六七八九', tenThousand: '萬' };
const FORMAL = { units: '拾佰仟', tenThousand: '萬', ones: 'all', zeros: true } as const;

/** Digits of another script, one character each. */
const digits =
  (script: string): Writer =>
  (value) =>
    String(value).replaceAll(/\d/g, (digit) => script[Number(digit)] ?? '');

function fourDigits(
  value: number,
  { digits: script, units, ones, zeros }: CountingSystem,
  isFirst: boolean,
): string {
  let text = '';
  let isSkipped = false;
  for (let place = 3; place >= 0; place--) {
    const digit = Math.floor(value / 10 ** place) % 10;
    if (digit === 0) {
      isSkipped = text !== '';
      continue;
    }
    if (isSkipped && zeros) text += script[0];
    isSkipped = false;
    const isTeen = place === 1 && text === '' && isFirst;
    const isOneSilent = place > 0 && digit === 1 && (ones === 'none' || (ones === 'not in teens' && isTeen));
    text += (isOneSilent ? '' : script[digit]) + (units[place - 1] ?? '');
  }
  return text;
}

const counting =
  (system: CountingSystem): Writer =>
  (value) => {
    const [high, low] = [Math.floor(value / 10_000), value % 10_000];
    if (high === 0) return fourDigits(low, system, true);
    const gap = low > 0 && low < 1_000 && system.zeros ? system.digits[0] : '';
    return fourDigits(high, system, true) + system.tenThousand + gap + fourDigits(low, system, false);
  };

/** Words up to 99, and digits for larger numbers. */
const counted: Writer = (value) => (value < 100 ? counting(CHINESE) : digits(ROUND_DIGITS))(value);

/** `①` and its neighbors, up to `last`. Word goes on in decimal. */
const enclosed =
  (first: string, last: number): Writer =>
  (value) =>
    value <= last ? String.fromCodePoint((first.codePointAt(0) ?? 0) + value - 1) : String(value);

/** Word begins again after about that many rounds. */
const ROUNDS_MAX = 27;

/** Letters, then each of them twice, and so on: `я`, `аа`, `бб`. */
const letters =
  (alphabet: readonly string[]): Writer =>
  (value) =>
    value > ROUNDS_MAX * alphabet.length
      ? undefined
      : alphabet[(value - 1) % alphabet.length]?.repeat(Math.ceil(value / alphabet.length));

const STEMS = '甲乙丙丁戊己庚辛壬癸';
const BRANCHES = '子丑寅卯辰巳午未申酉戌亥';
const HEBREW = 'אבגדהוזחטיכלמנסעפצקרשת';
const RUSSIAN = [...'абвгдежзиклмнопрстуфхцчшщыэюя'];

/**
 * The formats that LibreOffice writes differently from Word, from the first number on for which it does (ECMA-376-1
 * §17.18.59). What Word writes is from observation, since the standard does not define most of the sequences.
 */
const FORMATS: Readonly<Record<string, { from: number; write: Writer }>> = {
  hex: { from: 10, write: (value) => value.toString(16).toUpperCase() },
  numberInDash: { from: 1, write: (value) => `- ${value} -` },
  decimalFullWidth: { from: 1, write: digits('０１２３４５６７８９') },
  decimalFullWidth2: { from: 1, write: digits('０１２３４５６７８９') },
  hindiNumbers: { from: 1, write: digits('०१२३४५६७८९') },
  thaiNumbers: { from: 1, write: digits('๐๑๒๓๔๕๖๗๘๙') },
  ideographDigital: { from: 10, write: digits(DIGITS) },
  japaneseDigitalTenThousand: { from: 1, write: digits(DIGITS) },
  taiwaneseDigital: { from: 1, write: digits(ROUND_DIGITS) },
  japaneseCounting: { from: 100, write: counting({ ...CHINESE, ones: 'none', zeros: false }) },
  japaneseLegal: {
    from: 10,
    write: counting({ ...FORMAL, digits: '〇壱弐参四伍六七八九', units: '拾百阡', zeros: false }),
  },
  chineseCountingThousand: { from: 101, write: counting(CHINESE) },
  taiwaneseCountingThousand: { from: 10_000, write: counting(TAIWANESE) },
  chineseLegalSimplified: { from: 10_000, write: counting({ ...FORMAL, digits: '零壹贰叁肆伍陆柒捌玖' }) },
  chineseCounting: { from: 100, write: counted },
  taiwaneseCounting: { from: 100, write: counted },
  decimalEnclosedCircle: { from: 21, write: enclosed('①', 20) },
  decimalEnclosedCircleChinese: { from: 11, write: enclosed('①', 10) },
  decimalEnclosedFullstop: { from: 1, write: enclosed('⒈', 20) },
  decimalEnclosedParen: { from: 1, write: enclosed('⑴', 20) },
  ideographEnclosedCircle: { from: 1, write: enclosed('㈠', 10) },
  ideographZodiacTraditional: {
    from: 1,
    write: (value) => `${STEMS[(value - 1) % 10]}${BRANCHES[(value - 1) % 12]}`,
  },
  russianLower: { from: 31, write: letters(RUSSIAN) },
  russianUpper: { from: 30, write: letters(RUSSIAN.map((letter) => letter.toUpperCase())) },
  arabicAlpha: { from: 29, write: letters([...'أبتثجحخدذرزسشصضطظعغفقكلمنهوي']) },
  arabicAbjad: { from: 1, write: letters([...'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ']) },
  thaiLetters: { from: 33, write: letters([...'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ']) },
  hebrew2: {
    from: 23,
    write: (value) =>
      value > ROUNDS_MAX * HEBREW.length
        ? undefined
        : 'ת'.repeat(Math.floor((value - 1) / 22)) + (HEBREW[(value - 1) % 22] ?? ''),
  },
  // Word's names of the two are exchanged.
  hindiVowels: { from: 21, write: letters([...'कखगघङचछजझञटठडढणतथदधनऩपफबभमयरऱलळऴवशषसह']) },
  hindiConsonants: { from: 1, write: letters([...'अआइईउऊऋऌऍऎएऐऑऒओऔ', 'अं', 'अः']) },
  vietnameseCounting: {
    from: 1,
    write: (value) => (value < 1_000 ? inVietnamese(value) : value === 1_000 ? 'một ngàn' : undefined),
  },
  thaiCounting: { from: 1, write: (value) => (value < 100 ? inThai(value) : undefined) },
  hindiCounting: { from: 1, write: (value) => (value < 6 ? inHindi(value) : undefined) },
};

/** Formats that LibreOffice writes as Word does, for labels that have numbers of several formats. */
const SHARED: Readonly<Record<string, Writer>> = {
  decimal: String,
  decimalHalfWidth: String,
  decimalZero: (value) => String(value).padStart(2, '0'),
  upperRoman: (value) => numberAs('roman', value, true),
  lowerRoman: (value) => numberAs('roman', value, false),
  upperLetter: (value) => numberAs('alphabetic', value, true),
  lowerLetter: (value) => numberAs('alphabetic', value, false),
  none: () => '',
};

/** The largest number of a list. Word begins again after it. */
const VALUE_MAX = 32_767;

/** Whether LibreOffice writes some numbers of this format differently from Word. */
export function mayMiswrite(format: string): boolean {
  return Object.hasOwn(FORMATS, format);
}

/** Whether LibreOffice writes a number of a list differently from Word. */
export function isMiswritten(format: string, value: number): boolean {
  return Object.hasOwn(FORMATS, format) && value >= (FORMATS[format]?.from ?? 0);
}

/** What Word shows for a number of a list, from 1. Undefined if that is not known. */
export function writtenNumber(format: string, value: number): string | undefined {
  if (value < 1 || value > VALUE_MAX) return undefined;
  if (Object.hasOwn(SHARED, format)) return SHARED[format]?.(value);
  return Object.hasOwn(FORMATS, format) ? FORMATS[format]?.write(value) : undefined;
}
