import { attributeOf, childOf, type Edit, escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';
import { attributeEdit, type Tag, type Tree, writtenName } from './tree.ts';

/** The fonts and colors that names of the theme mean in one document. */
export interface Theme {
  /** By the name of a theme font: `minorHAnsi` or `+mn-lt`. */
  fonts: ReadonlyMap<string, string>;
  /** RRGGBB by the name of a theme color: `text1` or `tx1`. */
  colors: ReadonlyMap<string, string>;
  /** Themes with equal keys mean the same. */
  key: string;
}

/** Names of colors: that of WordprocessingML (§17.18.97) and that of DrawingML (§20.1.10.54), in the scheme's order. */
const COLORS: readonly [word: string, drawing: string][] = [
  ['dark1', 'dk1'],
  ['light1', 'lt1'],
  ['dark2', 'dk2'],
  ['light2', 'lt2'],
  ['accent1', 'accent1'],
  ['accent2', 'accent2'],
  ['accent3', 'accent3'],
  ['accent4', 'accent4'],
  ['accent5', 'accent5'],
  ['accent6', 'accent6'],
  ['hyperlink', 'hlink'],
  ['followedHyperlink', 'folHlink'],
];
/** Names that the settings map to others: attribute of `w:clrSchemeMapping`, names, and what they mean by default. */
const MAPPED: readonly [attribute: string, word: string, drawing: string, usual: string][] = [
  ['w:t1', 'text1', 'tx1', 'dark1'],
  ['w:bg1', 'background1', 'bg1', 'light1'],
  ['w:t2', 'text2', 'tx2', 'dark2'],
  ['w:bg2', 'background2', 'bg2', 'light2'],
];
const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['ja', 'Jpan'],
  ['ko', 'Hang'],
  ['zh-cn', 'Hans'],
  ['zh-sg', 'Hans'],
  ['zh', 'Hans'],
  ['zh-tw', 'Hant'],
  ['zh-hk', 'Hant'],
  ['ar', 'Arab'],
  ['fa', 'Arab'],
  ['he', 'Hebr'],
  ['th', 'Thai'],
  ['hi', 'Deva'],
]);

export function readTheme(theme: Tree | undefined, settings: Tree | undefined): Theme {
  const elements = theme && childOf(theme.root, 'a:themeElements');
  const colors = readColors(elements && childOf(elements, 'a:clrScheme'), settings?.root);
  const fonts = readFonts(elements && childOf(elements, 'a:fontScheme'), settings?.root);
  return { fonts, colors, key: JSON.stringify([[...fonts], [...colors]]) };
}

function readColors(scheme: XmlNode | undefined, settings: XmlNode | undefined): Map<string, string> {
  const colors = new Map<string, string>();
  for (const [word, drawing] of COLORS) {
    const [color] = (scheme && childOf(scheme, `a:${drawing}`))?.children ?? [];
    const value = color && attributeOf(color, color.name === 'a:sysClr' ? 'lastClr' : 'val');
    if (value === undefined || !/^[0-9a-fA-F]{6}$/.test(value)) continue;
    colors.set(word, value.toUpperCase()).set(drawing, value.toUpperCase());
  }
  const mapping = settings && childOf(settings, 'w:clrSchemeMapping');
  for (const [attribute, word, drawing, usual] of MAPPED) {
    const value = colors.get((mapping && attributeOf(mapping, attribute)) ?? usual);
    if (value !== undefined) colors.set(word, value).set(drawing, value);
  }
  return colors;
}

function readFonts(scheme: XmlNode | undefined, settings: XmlNode | undefined): Map<string, string> {
  const fonts = new Map<string, string>();
  const languages = settings && childOf(settings, 'w:themeFontLang');
  const languageOf = (attribute: string) =>
    ((languages && attributeOf(languages, attribute)) ?? '').toLowerCase();
  for (const [kind, short] of [
    ['major', '+mj'],
    ['minor', '+mn'],
  ] as const) {
    const node = scheme && childOf(scheme, `a:${kind}Font`);
    if (node === undefined) continue;
    const latin = typefaceOf(node, 'a:latin');
    const eastAsia = typefaceOf(node, 'a:ea') || scriptFont(node, languageOf('w:eastAsia'));
    const complex = typefaceOf(node, 'a:cs') || scriptFont(node, languageOf('w:bidi'));
    for (const name of [`${kind}HAnsi`, `${kind}Ascii`, `${short}-lt`]) fonts.set(name, latin);
    for (const name of [`${kind}EastAsia`, `${short}-ea`]) fonts.set(name, eastAsia);
    for (const name of [`${kind}Bidi`, `${short}-cs`]) fonts.set(name, complex);
  }
  return fonts;
}

function typefaceOf(fonts: XmlNode, name: string): string {
  const node = childOf(fonts, name);
  return (node && attributeOf(node, 'typeface')) ?? '';
}

function scriptFont(fonts: XmlNode, language: string): string {
  const script = SCRIPTS.get(language) ?? SCRIPTS.get(language.split('-')[0] ?? '');
  const node = script && fonts.children.find((child) => attributeOf(child, 'script') === script);
  return (node && attributeOf(node, 'typeface')) ?? '';
}

/** What replaces one attribute: another attribute of the same prefix, or nothing. */
interface Change {
  attribute: string;
  to?: { local: string; value: string };
}

const FONTS: readonly [theme: string, plain: string][] = [
  ['w:asciiTheme', 'ascii'],
  ['w:hAnsiTheme', 'hAnsi'],
  ['w:eastAsiaTheme', 'eastAsia'],
  ['w:cstheme', 'cs'],
];

/** What the references of a WordprocessingML element to the theme become. */
export function themeChanges({ name, attributes }: Pick<Tag, 'name' | 'attributes'>, theme: Theme): Change[] {
  const textOf = (wanted: string) => attributes.find((attribute) => attribute.name === wanted)?.value;
  if (name === 'w:rFonts')
    return FONTS.flatMap(([attribute, local]) => {
      const reference = textOf(attribute);
      if (reference === undefined) return [];
      const value = theme.fonts.get(reference) || textOf(`w:${local}`) || 'Times New Roman';
      return [{ attribute, to: { local, value } }];
    });
  const pairs: [reference: string, local: string][] = [
    ['w:themeColor', name === 'w:color' || name === 'w:background' ? localOf(name) : 'color'],
    ['w:themeFill', 'fill'],
  ];
  return pairs.flatMap(([attribute, local]) => {
    const reference = textOf(attribute);
    if (reference === undefined) return [];
    const [tint, shade] = [
      `${attribute.replace(/Color$/, '')}Tint`,
      `${attribute.replace(/Color$/, '')}Shade`,
    ];
    const base = theme.colors.get(reference);
    const plain = textOf(`w:${local}`);
    const value = base && changed(base, textOf(tint), textOf(shade));
    const kept = value === undefined || (plain !== undefined && isNear(plain, value)) ? plain : value;
    return [
      { attribute, ...(kept === undefined ? {} : { to: { local, value: kept } }) },
      { attribute: tint },
      { attribute: shade },
    ];
  });
}

function localOf(name: string): string {
  return name === 'w:color' ? 'val' : 'color';
}

/** Rewrites an element so that it no longer depends on the theme. Offsets are into `xml`. */
export function themeEdits(tag: Tag, xml: string, theme: Theme): Edit[] {
  if (tag.name === 'a:schemeClr' || tag.name === 'w14:schemeClr') return schemeColorEdits(tag, xml, theme);
  if (tag.name.startsWith('a:')) return typefaceEdits(tag, xml, theme);
  const edits: Edit[] = [];
  const find = (name: string) => tag.attributes.find((attribute) => attribute.name === name);
  for (const { attribute, to } of themeChanges(tag, theme)) {
    const found = find(attribute);
    if (found === undefined) continue;
    const { prefix } = writtenName(xml, tag, found);
    const plain = to && find(`w:${to.local}`);
    const text = to === undefined ? '' : `${prefix}${to.local}="${escapeXml(to.value)}"`;
    edits.push(attributeEdit(tag, found, plain === undefined ? text : ''));
    if (plain !== undefined) edits.push(attributeEdit(tag, plain, text));
  }
  return edits;
}

/** The content of a color: changes without content. What else is there is left alone. */
const COLOR_CONTENT = /(?:\s|<[^<>/!?][^<>]*\/>|<([^\s<>/!?]+)[^<>]*(?<!\/)><\/\1\s*>)*<\/[^<>]*>/y;

function schemeColorEdits(tag: Tag, xml: string, theme: Theme): Edit[] {
  const attribute = tag.attributes.find(({ name }) => name === 'val' || name === 'w14:val');
  const color = attribute && theme.colors.get(attribute.value);
  if (attribute === undefined || color === undefined) return [];
  const head = /^<([^\s/>]+)/.exec(xml.slice(tag.start, tag.start + 1_000))?.[1] ?? '';
  const { written } = writtenName(xml, tag, attribute);
  const name = head.replace(/schemeClr$/, 'srgbClr');
  const edits = [
    { start: tag.start + 1, end: tag.start + 1 + head.length, text: name },
    attributeEdit(tag, attribute, `${written}="${color}"`),
  ];
  const end = xml.indexOf('>', tag.start + attribute.end) + 1;
  if (xml[end - 2] === '/') return edits;
  COLOR_CONTENT.lastIndex = end;
  if (!COLOR_CONTENT.test(xml)) return [];
  const close = xml.lastIndexOf('</', COLOR_CONTENT.lastIndex - 1);
  return [...edits, { start: close + 2, end: close + 2 + head.length, text: name }];
}

function typefaceEdits(tag: Tag, xml: string, theme: Theme): Edit[] {
  const attribute = tag.attributes.find(({ name }) => name === 'typeface');
  const font = attribute && theme.fonts.get(attribute.value);
  if (attribute === undefined || !font) return [];
  return [attributeEdit(tag, attribute, `${writtenName(xml, tag, attribute).written}="${escapeXml(font)}"`)];
}

const channels = (color: string): number[] =>
  [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Word rounds in its own way: a color that it wrote beside the theme's is kept. */
const ROUNDING = 4;

function isNear(plain: string, value: string): boolean {
  if (!/^[0-9a-fA-F]{6}$/.test(plain)) return false;
  const other = channels(value);
  return channels(plain).every((channel, at) => Math.abs(channel - (other[at] ?? 0)) <= ROUNDING);
}

/** A color made lighter or darker in its luminance (ECMA-376-1 §17.3.2.6, themeShade and themeTint). */
function changed(color: string, tint: string | undefined, shade: string | undefined): string {
  if (tint === undefined && shade === undefined) return color;
  const part = (value: string | undefined) => {
    const number = Number.parseInt(value ?? 'FF', 16);
    return Number.isNaN(number) ? 1 : Math.min(number, 255) / 255;
  };
  const [hue, saturation, luminance] = toHsl(channels(color).map((channel) => channel / 255));
  const darker = luminance * part(shade);
  return toHex(hue, saturation, darker * part(tint) + 1 - part(tint));
}

function toHsl([red = 0, green = 0, blue = 0]: number[]): [
  hue: number,
  saturation: number,
  luminance: number,
] {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const [range, luminance] = [high - low, (high + low) / 2];
  if (range === 0) return [0, 0, luminance];
  const saturation = range / (1 - Math.abs(2 * luminance - 1));
  if (high === red) return [((green - blue) / range + 6) % 6, saturation, luminance];
  return [high === green ? (blue - red) / range + 2 : (red - green) / range + 4, saturation, luminance];
}

function toHex(hue: number, saturation: number, luminance: number): string {
  const reach = saturation * Math.min(luminance, 1 - luminance);
  return [0, 8, 4]
    .map((offset) => {
      const at = (offset + hue * 2) % 12;
      const value = luminance - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1));
      return Math.round(value * 255)
        .toString(16)
        .padStart(2, '0');
    })
    .join('')
    .toUpperCase();
}
