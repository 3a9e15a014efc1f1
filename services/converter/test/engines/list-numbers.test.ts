import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { prepare } from '@scriptorium/sanitizer/sanitize';
import { escapeXml } from '@scriptorium/testing/fixtures/docx';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { docxOf, NAMESPACES } from '../rigs/documents.ts';
import { make } from './formats.suite.ts';

/** Numbers of one list each, and what Word shows for them in every format with numbers (ECMA-376-1 §17.18.59). */
const NUMBERS = [1, 5, 10, 11, 21, 35, 101];
const SHOWN: Readonly<Record<string, string>> = {
  decimal: '1 5 10 11 21 35 101',
  upperRoman: 'I V X XI XXI XXXV CI',
  lowerRoman: 'i v x xi xxi xxxv ci',
  upperLetter: 'A E J K U II WWWW',
  lowerLetter: 'a e j k u ii wwww',
  ordinal: '1st 5th 10th 11th 21st 35th 101st',
  cardinalText: 'One Five Ten Eleven Twenty-one Thirty-five One_hundred_one',
  ordinalText: 'First Fifth Tenth Eleventh Twenty-first Thirty-fifth One_hundred_first',
  hex: '1 5 A B 15 23 65',
  chicago: '* ** ††† ‡‡‡ ****** ‡‡‡‡‡‡‡‡‡ **************************',
  ideographDigital: '一 五 一〇 一一 二一 三五 一〇一',
  japaneseCounting: '一 五 十 十一 二十一 三十五 百一',
  aiueo: 'ｱ ｵ ｺ ｻ ﾅ ﾓ ｹ',
  iroha: 'ｲ ﾎ ﾇ ﾙ ﾅ ﾃ ﾎ',
  decimalFullWidth: '１ ５ １０ １１ ２１ ３５ １０１',
  decimalHalfWidth: '1 5 10 11 21 35 101',
  japaneseLegal: '壱 伍 壱拾 壱拾壱 弐拾壱 参拾伍 壱百壱',
  japaneseDigitalTenThousand: '一 五 一〇 一一 二一 三五 一〇一',
  decimalEnclosedCircle: '① ⑤ ⑩ ⑪ 21 35 101',
  decimalFullWidth2: '１ ５ １０ １１ ２１ ３５ １０１',
  aiueoFullWidth: 'ア オ コ サ ナ モ ケ',
  irohaFullWidth: 'イ ホ ヌ ル ナ テ ホ',
  decimalZero: '01 05 10 11 21 35 101',
  ganada: '가 마 차 카 사 사 다',
  chosung: 'ㄱ ㅁ ㅊ ㅋ ㅅ ㅅ ㄷ',
  decimalEnclosedFullstop: '⒈ ⒌ ⒑ ⒒ 21 35 101',
  decimalEnclosedParen: '⑴ ⑸ ⑽ ⑾ 21 35 101',
  decimalEnclosedCircleChinese: '① ⑤ ⑩ 11 21 35 101',
  ideographEnclosedCircle: '㈠ ㈤ ㈩ 11 21 35 101',
  ideographTraditional: '甲 戊 癸 11 21 35 101',
  ideographZodiac: '子 辰 酉 戌 21 35 101',
  ideographZodiacTraditional: '甲子 戊辰 癸酉 甲戌 甲申 戊戌 甲辰',
  taiwaneseCounting: '一 五 十 十一 二十一 三十五 一○一',
  ideographLegalTraditional: '壹 伍 壹拾 壹拾壹 貳拾壹 參拾伍 壹佰零壹',
  taiwaneseCountingThousand: '一 五 十 十一 二十一 三十五 一百零一',
  taiwaneseDigital: '一 五 一○ 一一 二一 三五 一○一',
  chineseCounting: '一 五 十 十一 二十一 三十五 一○一',
  chineseLegalSimplified: '壹 伍 壹拾 壹拾壹 贰拾壹 叁拾伍 壹佰零壹',
  chineseCountingThousand: '一 五 十 十一 二十一 三十五 一百〇一',
  koreanDigital: '일 오 일영 일일 이일 삼오 일영일',
  koreanCounting: '일 오 십 십일 이십일 삼십오 백일',
  koreanLegal: '하나 다섯 열 열하나 스물하나 서른다섯 백일',
  koreanDigital2: '一 五 一零 一一 二一 三五 一零一',
  vietnameseCounting: 'một năm mười mười_một hai_mươi_mốt ba_mươi_lăm một_trăm_lẻ_một',
  russianLower: 'а д к л х ее оооо',
  russianUpper: 'А Д К Л Х ЕЕ ОООО',
  none: '',
  numberInDash: '-_1_- -_5_- -_10_- -_11_- -_21_- -_35_- -_101_-',
  hebrew1: 'א ה י יא כא לה קא',
  hebrew2: 'א ה י כ ש תמ תתתתמ',
  arabicAlpha: 'أ ج ر ز ق خخ ظظظظ',
  arabicAbjad: 'أ ه ي ك ش زز فففف',
  hindiVowels: 'क ङ ञ ट ऩ ष ययय',
  hindiConsonants: 'अ उ ऎ ए इइ अंअं एएएएएए',
  hindiNumbers: '१ ५ १० ११ २१ ३५ १०१',
  thaiLetters: 'ก จ ญ ฎ ธ ศ ถถถ',
  thaiNumbers: '๑ ๕ ๑๐ ๑๑ ๒๑ ๓๕ ๑๐๑',
  bahtText: '1 5 10 11 21 35 101',
  dollarText: '1 5 10 11 21 35 101',
};
/** How Word writes larger numbers of these is not known. */
const SHORT: Readonly<Record<string, { numbers: readonly number[]; shown: string }>> = {
  hindiCounting: { numbers: [1, 2, 3, 4, 5], shown: 'एक दो तीन चार पाँच' },
  thaiCounting: { numbers: [1, 2, 5, 10, 11, 21], shown: 'หนึ่ง สอง ห้า สิบ สิบเอ็ด ยี่สิบเอ็ด' },
};

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
beforeAll(() => engine.start());
afterAll(() => engine.close());

const numberingOf = (content: string) => ({
  name: 'numbering.xml',
  kind: 'numbering',
  data: `<w:numbering ${NAMESPACES}>${content}</w:numbering>`,
});
const level = (at: number, format: string, text: string, more = '') =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:suff w:val="nothing"/><w:lvlText w:val="${escapeXml(text)}"/></w:lvl>`;
const item = (list: number, at: number, words: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>|${words}</w:t></w:r></w:p>`;

/** The labels of the list items of a document, in order, and what the sanitizer reports. */
async function labelsOf(document: Buffer): Promise<{ labels: string[]; dropped: readonly unknown[] }> {
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none', to: 'txt' } as const;
  const { bytes, facts } = await prepare(document, options);
  const text = (await make(engine, bytes, { to: 'txt' })).bytes.toString('utf8');
  const labels = text
    .split('\n')
    .filter((line) => line.includes('|'))
    .map((line) => line.slice(0, line.indexOf('|')).replace('\ufeff', '').trim());
  return { labels, dropped: facts.dropped.items };
}

/** One list for each number, which begins with it. */
function listsOf(format: string, numbers: readonly number[]): Buffer {
  const lists = numbers.map(
    (number, at) =>
      `<w:num w:numId="${at + 1}"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="${number}"/></w:lvlOverride></w:num>`,
  );
  const definition = `<w:abstractNum w:abstractNumId="0">${level(0, format, '%1')}</w:abstractNum>`;
  const body = numbers.map((number, at) => item(at + 1, 0, String(number))).join('');
  return docxOf(body, [numberingOf(definition + lists.join(''))]);
}

const all = [
  ...Object.entries(SHOWN).map(([format, shown]) => [format, NUMBERS, shown] as const),
  ...Object.entries(SHORT).map(([format, { numbers, shown }]) => [format, numbers, shown] as const),
];

test.each(all)('the numbers of a list in the format %s are those of Word', async (format, numbers, shown) => {
  const { labels, dropped } = await labelsOf(listsOf(format, numbers));
  expect(
    labels
      .map((label) => label.replaceAll(' ', '_'))
      .join(' ')
      .trim(),
  ).toBe(shown);
  expect(dropped).toEqual([]);
});

test('a number that nobody has seen in Word is reported', async () => {
  const { labels, dropped } = await labelsOf(listsOf('hindiCounting', [1, 6]));
  expect(labels).toEqual(['1', '6']);
  expect(dropped).toEqual([{ what: 'list number', part: 'word/numbering.xml', detail: '0' }]);
});

test('levels keep counting, restarting and showing each other as Word does', async () => {
  const definition =
    `<w:abstractNum w:abstractNumId="0">${level(0, 'numberInDash', '%1')}${level(1, 'hex', '%1/%2')}` +
    `${level(2, 'lowerRoman', '%2.%3', '<w:lvlRestart w:val="0"/>')}${level(3, 'decimal', '%1:%4', '<w:isLgl/>')}</w:abstractNum>`;
  const list = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
  const body = [0, 1, 2, 2, 1, 2, 0, 1, 3].map((at) => item(1, at, 'x')).join('');
  const { labels } = await labelsOf(docxOf(body, [numberingOf(definition + list)]));
  expect(labels).toEqual(['- 1 -', '- 1 -/1', '1.i', '1.ii', '- 1 -/2', '2.iii', '- 2 -', '- 2 -/1', '2:1']);
});
