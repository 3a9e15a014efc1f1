import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { matchingFamily, writeFontConfig } from './font-config.ts';
import { IMPORT_FILTERS, ODT_EXPORT_FILTER } from './formats.ts';
import { metricCopyOf } from './metric-fonts.ts';

const SECURITY = '/org.openoffice.Office.Common/Security/Scripting';

/** Denies documents every action. Names as in LibreOffice's `share/registry/main.xcd` (see `libreoffice.mjs`). */
const SETTINGS: readonly (readonly [path: string, name: string, value: boolean | number | string])[] = [
  [SECURITY, 'DisableMacrosExecution', true],
  [SECURITY, 'MacroSecurityLevel', 3],
  [SECURITY, 'DisablePythonRuntime', true],
  [SECURITY, 'DisableOLEAutomation', true],
  [SECURITY, 'BlockUntrustedRefererLinks', true],
  ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', false],
  // 0 means never, in Writer and in Calc.
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', 0],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', 2],
  // 1 means never: cells show the values that they were stored with.
  ['/org.openoffice.Office.Calc/Formula/Load', 'OOXMLRecalcMode', 1],
  ['/org.openoffice.Office.Calc/Formula/Load', 'ODFRecalcMode', 1],
  ['/org.openoffice.Office.Common/Misc', 'UseOpenCL', false],
  // A lock file that a killed process left makes later loads fail silently.
  ['/org.openoffice.Office.Common/Misc', 'UseLocking', false],
  ['/org.openoffice.Office.Common/Misc', 'UseDocumentOOoLockFile', false],
  ['/org.openoffice.Office.Common/Misc', 'UseDocumentSystemFileLocking', false],
  ['/org.openoffice.Office.Recovery/AutoSave', 'Enabled', false],
  // A program that finds no version, or an earlier one, tests its graphics at its start: 5 of 6.5 s of CPU.
  ['/org.openoffice.Setup/Product', 'ooSetupLastVersion', '99.9'],
];

function registryItem([path, name, value]: (typeof SETTINGS)[number]): string {
  return `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;
}

/** Types kept beside the source's: content of documents (charts, formulas; images have their own list), and PDF. */
const KEPT_TYPES = /^(chart8$|math8$|math_MathML|pdf_Portable_Document_Format$)/;
const DOCUMENT_TYPES =
  /^(generic|writer|calc|draw|impress|math|StarOffice|MWAW|Palm|XHTML|Unified|MS |Office Open|Gnumeric|Apache)/;

/**
 * Every document type of LibreOffice except those of the source.
 *
 * Neither LibreOfficeKit nor a profile can force an import filter, and LibreOffice detects types by content. Without
 * this, HTML or an old binary format named as a DOCX would reach its own importer.
 */
function otherTypes({ programDir, source }: ForcedSource): string[] {
  const { types } = IMPORT_FILTERS[source];
  const registryDir = join(programDir, '..', 'share', 'registry');
  const names = new Set<string>();
  for (const file of readdirSync(registryDir)) {
    if (!file.endsWith('.xcd')) continue;
    const registry = readFileSync(join(registryDir, file), 'utf8');
    for (const [, data = ''] of registry.matchAll(
      /<oor:component-data[^>]* oor:name="Types"[^>]*>(.*?)<\/oor:component-data>/gs,
    ))
      for (const [, name = ''] of data.matchAll(/<node oor:name="([^"]+)" oor:op="replace"/g))
        names.add(name);
  }
  return [...names].filter(
    (name) => DOCUMENT_TYPES.test(name) && !KEPT_TYPES.test(name) && !types.test(name),
  );
}

const TYPES = '/org.openoffice.TypeDetection.Types/Types';
const FILTERS = '/org.openoffice.TypeDetection.Filter/Filters';

function removalItem(type: string): string {
  return `<item oor:path="${TYPES}"><node oor:name="${type}" oor:op="remove"/></item>`;
}

function nodeItem(path: string, name: string, values: Record<string, string>): string {
  const properties = Object.entries(values).map(
    ([property, value]) => `<prop oor:name="${property}"><value>${value}</value></prop>`,
  );
  return `<item oor:path="${path}"><node oor:name="${name}" oor:op="replace">${properties.join('')}</node></item>`;
}

/**
 * A filter that writes ODT and cannot read it; see `ODT_SUFFIX`. The values are those of `writer8`, except the flags.
 */
const ODT_EXPORT_ITEMS = [
  nodeItem(TYPES, 'odt_export', {
    MediaType: 'application/vnd.oasis.opendocument.text',
    ClipboardFormat: 'Writer 8',
  }),
  nodeItem(FILTERS, ODT_EXPORT_FILTER, {
    Flags: 'EXPORT OWN',
    UserData: 'CXML',
    FileFormatVersion: '6800',
    Type: 'odt_export',
    DocumentService: 'com.sun.star.text.TextDocument',
  }),
];

/** Makes LibreOffice choose the import filter whose documents have pages. */
const HTML_IMPORT_ITEMS = [
  `<item oor:path="${TYPES}/generic_HTML"><prop oor:name="PreferredFilter" oor:op="fuse"><value>${IMPORT_FILTERS.html.filter}</value></prop></item>`,
  `<item oor:path="${FILTERS}"><node oor:name="HTML" oor:op="remove"/></item>`,
];

function forcingItems(forced: ForcedSource): string[] {
  return [
    ...otherTypes(forced).map(removalItem),
    ...ODT_EXPORT_ITEMS,
    ...(forced.source === 'html' ? HTML_IMPORT_ITEMS : []),
  ];
}

const FONT_PAIRS = '/org.openoffice.Office.Common/Font/Substitution';
/** LibreOffice replaces them by Caladea and Carlito before it asks fontconfig. */
const REPLACED_EARLY = ['Cambria', 'Calibri'];

/** Puts the metric copies of fonts before LibreOffice's own choice, unless the font itself is installed. */
function fontItems(profileDir: string, fonts: string | undefined): string[] {
  const environment = writeFontConfig(profileDir, fonts);
  const pairs = REPLACED_EARLY.flatMap((font, at) => {
    const found = matchingFamily(font, environment);
    if (found === undefined || found !== metricCopyOf(font)) return [];
    const pair = { ReplaceFont: font, SubstituteFont: found, Always: 'true', OnScreenOnly: 'false' };
    return [nodeItem(`${FONT_PAIRS}/FontPairs`, `_${at}`, pair)];
  });
  return pairs.length === 0 ? [] : [registryItem([FONT_PAIRS, 'Replacement', true]), ...pairs];
}

/** The only format that LibreOffice may read, and the folder of its registry. */
export interface ForcedSource {
  programDir: string;
  source: EngineSource;
}

/**
 * Writes the user profile that LibreOffice reads when it starts. With a source, it cannot load documents of another
 * format.
 *
 * Synchronous, because `libreoffice-convert` gives no later moment than the one right after its call.
 */
export function writeProfile(profileDir: string, fonts: string | undefined, forced?: ForcedSource): void {
  const items = [
    ...SETTINGS.map(registryItem),
    ...fontItems(profileDir, fonts),
    ...(forced === undefined ? [] : forcingItems(forced)),
  ];
  mkdirSync(join(profileDir, 'user'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(profileDir, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>
`,
    { mode: 0o600 },
  );
}

/** The whole environment of LibreOffice. */
export function engineEnvironment(homeDir: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: homeDir,
    TMPDIR: homeDir,
    LANG: 'C.UTF-8',
    // LibreOffice frees and allocates small objects by the thousand. By default, glibc keeps seven of a size at hand.
    // https://sourceware.org/glibc/manual/latest/html_node/Memory-Allocation-Tunables.html
    GLIBC_TUNABLES: 'glibc.malloc.tcache_count=4000',
    SAL_LOK_OPTIONS: 'unipoll',
    // A pattern that no host name matches.
    LOK_HOST_ALLOWLIST: '^$',
  };
}
