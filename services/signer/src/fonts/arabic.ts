/**
 * Arabic letters from U+0621 on, and how many forms each has in the block Arabic Presentation Forms-B, from U+FE80 on
 * (The Unicode Standard, 9.2): 1 isolated; 2 and final; 4 and initial and medial. U+063B–U+0640 are none of them.
 */
const FORMS_FROM_0621 = '12222424244444222244444444';
const FORMS_FROM_0641 = '4444444224';
const FIRST_FORM = 0xfe80;

interface Letter {
  /** Its isolated form; then final, initial and medial. */
  form: number;
  forms: number;
}

function* letters(): Generator<[number, Letter]> {
  let form = FIRST_FORM;
  for (const [start, counts] of [
    [0x0621, FORMS_FROM_0621],
    [0x0641, FORMS_FROM_0641],
  ] as const) {
    for (const [index, count] of [...counts].entries()) {
      yield [start + index, { form, forms: Number(count) }];
      form += Number(count);
    }
  }
}

const LETTERS = new Map(letters());
const LAM = 0x0644;
/** Lam with an alef of these kinds is one letter: its isolated form. */
const LAM_ALEF = new Map([
  [0x0622, 0xfef5],
  [0x0623, 0xfef7],
  [0x0625, 0xfef9],
  [0x0627, 0xfefb],
]);
const MARK = /\p{M}/u;

/** Arabic text whose letters have the forms that their neighbours ask for. Other text stays as it is. */
export function joinArabic(text: string): string {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  let out = '';
  let joinsNext = false;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    const letter = LETTERS.get(code);
    if (!letter) {
      out += String.fromCodePoint(code);
      if (!MARK.test(String.fromCodePoint(code))) joinsNext = code === 0x0640;
      continue;
    }
    const ligature = code === LAM ? LAM_ALEF.get(codes[at + 1] ?? 0) : undefined;
    if (ligature !== undefined) {
      out += String.fromCodePoint(ligature + (joinsNext ? 1 : 0));
      joinsNext = false;
      at++;
      continue;
    }
    const isBeforeLetter = letter.forms === 4 && takesBefore(codes, at + 1);
    const form = isBeforeLetter ? (joinsNext ? 3 : 2) : joinsNext && letter.forms > 1 ? 1 : 0;
    out += String.fromCodePoint(letter.form + form);
    joinsNext = isBeforeLetter;
  }
  return out;
}

/** Whether the next letter, marks passed, joins the one before it. */
function takesBefore(codes: readonly number[], from: number): boolean {
  for (let at = from; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (MARK.test(String.fromCodePoint(code))) continue;
    return code === 0x0640 || (LETTERS.get(code)?.forms ?? 0) > 1;
  }
  return false;
}
