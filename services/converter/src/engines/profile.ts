import { mkdirSync, writeFileSync } from 'node:fs';
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

/**
 * Writes the user profile that LibreOffice reads at its start.
 *
 * Synchronous, for `libreoffice-convert` gives no later moment than the one right after its call.
 */
export function writeProfile(profileDir: string): void {
  mkdirSync(join(profileDir, 'user'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(profileDir, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${SETTINGS.map(registryItem).join('\n')}
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
