import { Budget } from '@scriptorium/ooxml/bounds';
import { type Dropped, removeUnreachable } from '@scriptorium/ooxml/package';
import { attributeOf, type Edit, scanXml, TreeBuilder, type XmlNode } from '@scriptorium/ooxml/xml';
import { MAIL_MERGE } from '@scriptorium/sanitizer/active-content';
import { namespaceIn, partOf, type Source } from './source.ts';

/** Settings that cannot hold for the merged document. */
const LOST: Readonly<Record<string, string>> = {
  'w:documentProtection': 'The protection of the document was removed.',
  'w:writeProtection': 'The protection of the document was removed.',
};

export interface MergeWarning {
  /** The position of the document in the request, starting at 0. */
  document: number;
  code: string;
  message: string;
  /** It is true only once the document is converted to PDF: LibreOffice lacks what Word has. */
  isOfPdf?: true;
}

/** The settings of one document that matter to the others. */
export interface DocumentSettings {
  isEven: boolean;
  defaultTab: string;
  /** All settings of compatibility, as text. */
  compatibility: string;
  isHyphenated: boolean;
  /** How notes are numbered: the children of `w:footnotePr` and `w:endnotePr`, without the separators. */
  notes: { footnote: string; endnote: string };
  lost: { start: number; end: number; name: string }[];
  /** The setting of even pages that is there, if it is off. */
  off: { start: number; end: number } | undefined;
  /** Where a setting of ours is inserted: before the first of these. Undefined if the element is empty. */
  insertAt: number | undefined;
}

/** Elements that follow `w:evenAndOddHeaders` (ECMA-376-1 §17.15.1.78). */
const BEFORE_EVEN = new Set(
  'writeProtection view zoom removePersonalInformation removeDateAndTime doNotDisplayPageBoundaries displayBackgroundShape printPostScriptOverText printFractionalCharacterWidth printFormsData embedTrueTypeFonts embedSystemFonts saveSubsetFonts saveFormsData mirrorMargins alignBordersAndEdges bordersDoNotSurroundHeader bordersDoNotSurroundFooter gutterAtTop hideSpellingErrors hideGrammaticalErrors activeWritingStyle proofState formsDesign attachedTemplate linkStyles stylePaneFormatFilter stylePaneSortMethod documentType mailMerge revisionView trackRevisions doNotTrackMoves doNotTrackFormatting documentProtection autoFormatOverride styleLockTheme styleLockQFSet defaultTabStop autoHyphenation consecutiveHyphenLimit hyphenationZone doNotHyphenateCaps showEnvelope summaryLength clickAndTypeStyle defaultTableStyle'
    .split(' ')
    .map((name) => `w:${name}`),
);

const isOn = (value: string | undefined): boolean => value === undefined || !/^(0|false|off)$/.test(value);

export function readSettings(source: Source): DocumentSettings {
  const found: DocumentSettings = {
    isEven: false,
    defaultTab: '720',
    compatibility: '',
    isHyphenated: false,
    notes: { footnote: '', endnote: '' },
    lost: [],
    off: undefined,
    insertAt: undefined,
  };
  const part = partOf(source, 'settings');
  if (part?.xml === undefined) return found;
  const builder = new TreeBuilder();
  scanXml(part.xml, [builder.visitor], { budget: new Budget(), part: part.name });
  for (const child of builder.root.children) {
    const value = child.attributes.find(({ name }) => name === 'w:val')?.value;
    if (child.name === 'w:evenAndOddHeaders') {
      found.isEven = isOn(value);
      if (!found.isEven) found.off = child;
    }
    if (child.name === 'w:autoHyphenation') found.isHyphenated = isOn(value);
    else if (child.name === 'w:defaultTabStop') found.defaultTab = value ?? '720';
    else if (Object.hasOwn(LOST, child.name) && isInForce(child))
      found.lost.push({ start: child.start, end: child.end, name: child.name });
    if (child.name === 'w:footnotePr') found.notes.footnote = notesOf(child, part.xml);
    else if (child.name === 'w:endnotePr') found.notes.endnote = notesOf(child, part.xml);
    if (child.name === 'w:compat') found.compatibility = compatibilityOf(child);
    if (!BEFORE_EVEN.has(child.name)) found.insertAt ??= child.start;
  }
  found.insertAt ??= builder.root.openEnd === builder.root.end ? undefined : builder.root.closeStart;
  return found;
}

/** A protection that is not enforced has no effect. */
function isInForce(node: XmlNode): boolean {
  if (node.name !== 'w:documentProtection') return true;
  return isOn(attributeOf(node, 'w:enforcement') ?? '0');
}

function compatibilityOf({ children }: XmlNode): string {
  const settings = children.map((setting) => {
    const value = attributeOf(setting, 'w:val');
    const name = attributeOf(setting, 'w:name') ?? setting.name;
    return name === 'compatibilityMode' ? `${name} ${value}` : isOn(value) ? name : '';
  });
  return settings
    .filter((setting) => setting !== '')
    .toSorted()
    .join(', ');
}

function notesOf({ children }: XmlNode, xml: string): string {
  return children
    .filter(({ name }) => name !== 'w:footnote' && name !== 'w:endnote')
    .map(({ start, end }) => xml.slice(start, end))
    .join('');
}

/** What is removed of a document because it reaches outside. */
const REMOVALS: readonly (readonly [is: (dropped: Dropped) => boolean, code: string, message: string])[] = [
  [({ what }) => what === 'macro', 'MACRO_REMOVED', 'The macros of the document were removed.'],
  [({ what }) => what === 'remote template', 'SETTING_REMOVED', 'The attached template was removed.'],
  [
    ({ detail }) => detail === MAIL_MERGE,
    'SETTING_REMOVED',
    'The data source of the mail merge was removed.',
  ],
  [
    ({ what }) => what.endsWith('link'),
    'LINK_REMOVED',
    'Hyperlinks that are not safe to follow were removed.',
  ],
  [
    ({ what, detail }) => what === 'external relationship' && detail !== MAIL_MERGE,
    'EXTERNAL_CONTENT_REMOVED',
    'Linked pictures and objects were removed.',
  ],
  [
    ({ what }) => what === 'alternative content',
    'EXTERNAL_CONTENT_REMOVED',
    'Content of other formats was removed.',
  ],
];

/** Names what was removed of a document because it reaches outside. */
export function contentWarnings({ index, document: { dropped } }: Source): MergeWarning[] {
  const warnings = REMOVALS.flatMap(([is, code, message]) =>
    dropped.some(is) ? [{ document: index, code, message }] : [],
  );
  const names = dropped.flatMap(({ what, detail = '' }) => (what === 'field' ? [fieldName(detail)] : []));
  if (names.length === 0) return warnings;
  const fields = [...new Set(names)].toSorted().join(', ');
  const message = `Fields that read or start something outside of the document became text: ${fields}.`;
  return [...warnings, { document: index, code: 'FIELD_REMOVED', message }];
}

const fieldName = (instruction: string): string => /[A-Za-z]+/.exec(instruction)?.[0].toUpperCase() ?? '';

/** What is lost of a document, or differs from the first. */
export function settingsWarnings(
  source: Source,
  settings: DocumentSettings,
  first: DocumentSettings,
): MergeWarning[] {
  const warn = (code: string, message: string): MergeWarning => ({ document: source.index, code, message });
  const warnings = [...new Set(settings.lost.map(({ name }) => LOST[name] ?? ''))].map((message) =>
    warn('SETTING_REMOVED', message),
  );
  if (source.document.relationships.list.some(({ kind }) => kind === 'origin'))
    warnings.push(warn('SIGNATURE_REMOVED', 'The digital signatures of the document were removed.'));
  warnings.push(...contentWarnings(source));
  if (settings !== first && settings.defaultTab !== first.defaultTab)
    warnings.push(warn('SETTING_DIFFERS', 'The default tab stop of the first document holds for the whole.'));
  if (settings !== first && settings.compatibility !== first.compatibility)
    warnings.push(
      warn('SETTING_DIFFERS', 'The compatibility settings of the first document holds for the whole.'),
    );
  if (settings.isHyphenated !== first.isHyphenated)
    warnings.push(warn('SETTING_DIFFERS', 'The hyphenation of the first document holds for the whole.'));
  return warnings;
}

/** Changes the settings of the first document so that they fit the whole. */
export function adaptSettings(first: Source, settings: DocumentSettings, isAnyEven: boolean): void {
  const { document } = first;
  const removed = new Set(['origin']);
  document.relationships = { list: document.relationships.list.filter(({ kind }) => !removed.has(kind)) };
  removeUnreachable(document);
  const part = partOf(first, 'settings');
  if (part === undefined) return;
  for (const { start, end } of settings.lost) part.edits.push({ start, end, text: '' });
  if (settings.lost.some(({ name }) => name === 'w:attachedTemplate' || name === 'w:mailMerge'))
    part.relationships = {
      list: part.relationships.list.filter(
        ({ kind }) => !/^(attachedTemplate|mailMerge.*|recipientData)$/.test(kind),
      ),
    };
  if (isAnyEven && !settings.isEven)
    part.edits.push(evenEdit(part.xml ?? '', settings, namespaceIn(first, part)));
}

function evenEdit(xml: string, { off, insertAt }: DocumentSettings, ns: string): Edit {
  const text = `<w:evenAndOddHeaders${ns}/>`;
  if (off !== undefined) return { start: off.start, end: off.end, text };
  if (insertAt !== undefined) return { start: insertAt, end: insertAt, text };
  const [all = '', name = ''] = /<([^\s<>/?!]+)(?:[^<>"']|"[^"]*"|'[^']*')*\/>/.exec(xml) ?? [];
  const end = xml.indexOf(all) + all.length;
  return { start: end - 2, end, text: `>${text}</${name}>` };
}
