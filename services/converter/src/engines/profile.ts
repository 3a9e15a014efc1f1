import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECURITY = '/org.openoffice.Office.Common/Security/Scripting';

/** What a document may make LibreOffice do: nothing. Names as in LibreOffice's `share/registry/main.xcd`. */
const SETTINGS: readonly (readonly [path: string, name: string, value: boolean | number])[] = [
  [SECURITY, 'DisableMacrosExecution', true],
  [SECURITY, 'MacroSecurityLevel', 3],
  [SECURITY, 'DisableActiveContent', true],
  [SECURITY, 'DisablePythonRuntime', true],
  [SECURITY, 'DisableOLEAutomation', true],
  [SECURITY, 'BlockUntrustedRefererLinks', true],
  ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', false],
  // 0 is never, in Writer as in Calc.
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', 0],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', 2],
  // A lock file that a killed process left makes later loads fail, without a word.
  ['/org.openoffice.Office.Common/Misc', 'UseLocking', false],
  ['/org.openoffice.Office.Common/Misc', 'UseDocumentOOoLockFile', false],
  ['/org.openoffice.Office.Common/Misc', 'UseDocumentSystemFileLocking', false],
  ['/org.openoffice.Office.Recovery/AutoSave', 'Enabled', false],
];

function registryItem([path, name, value]: (typeof SETTINGS)[number]): string {
  return `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;
}

/** Types that stay: what is converted, what that may hold (charts, formulas, images by their own list), the result. */
const KEPT_TYPES =
  /^(writer_MS_Word_2007|writer_OOXML|chart8$|math8$|math_MathML|pdf_Portable_Document_Format$)/;
const DOCUMENT_TYPES =
  /^(generic|writer|calc|draw|impress|math|StarOffice|MWAW|Palm|XHTML|Unified|MS |Office Open|Gnumeric|Apache)/;

/**
 * Removes every other document type from what LibreOffice knows.
 *
 * Neither LibreOfficeKit nor a profile can force an import filter, and detection goes by content: without this, HTML
 * or an old binary format under the name of a DOCX meets its own importer.
 */
function removedTypes(programDir: string): string[] {
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
  return [...names].filter((name) => DOCUMENT_TYPES.test(name) && !KEPT_TYPES.test(name));
}

function removalItem(type: string): string {
  return `<item oor:path="/org.openoffice.TypeDetection.Types/Types"><node oor:name="${type}" oor:op="remove"/></item>`;
}

/**
 * Writes the user profile that LibreOffice reads at its start. With a program directory, it also forces the import
 * filter to that of Word documents.
 *
 * Synchronous, for `libreoffice-convert` gives no later moment than the one right after its call.
 */
export function writeProfile(profileDir: string, programDir?: string): void {
  const types = programDir === undefined ? [] : removedTypes(programDir);
  mkdirSync(join(profileDir, 'user'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(profileDir, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${[...SETTINGS.map(registryItem), ...types.map(removalItem)].join('\n')}
</oor:items>
`,
    { mode: 0o600 },
  );
}

/** All that LibreOffice gets to see of the environment. */
export function engineEnvironment(homeDir: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: homeDir,
    TMPDIR: homeDir,
    LANG: 'C.UTF-8',
    SAL_LOK_OPTIONS: 'unipoll',
    // A pattern that no host name matches.
    LOK_HOST_ALLOWLIST: '^$',
  };
}
