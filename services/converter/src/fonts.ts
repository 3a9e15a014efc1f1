import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SCRIPTS } from './docx/scripts.ts';

const run = promisify(execFile);
const LOOKUP_TIMEOUT_MS = 5_000;
/** Documents name the same few fonts; a hostile one must not fill the memory with names. */
const NAMES_KEPT_MAX = 1_000;

/** What the installed fonts have, as fontconfig tells; LibreOffice asks it too. */
export interface FontCatalogue {
  /** The family that stands in for one that is not installed; undefined where nobody can tell. */
  substituteFor(family: string): Promise<string | undefined>;
  /** Those of the scripts that no installed font has. */
  missingScripts(names: readonly string[]): Promise<string[]>;
}

/** A font that a document asks for and does not get. */
export interface ReplacedFont {
  asked: string;
  /** What stands in its place; undefined where nobody can tell. */
  used?: string;
}

/**
 * Those of the fonts that an engine had no exact match for that are really not there: it also names lists of fonts
 * (`Arial;sans-serif`), of which one is.
 */
export async function replacedFonts(
  missing: readonly string[],
  fonts: Pick<FontCatalogue, 'substituteFor'>,
): Promise<ReplacedFont[]> {
  const replaced = await Promise.all(
    missing.map(async (asked) => {
      const families = asked.split(';').map((family) => family.trim());
      const used = await Promise.all(families.map((family) => fonts.substituteFor(family)));
      const isThere = used.some((name, index) => name?.toLowerCase() === families[index]?.toLowerCase());
      return isThere ? undefined : { asked, ...(used[0] === undefined ? {} : { used: used[0] }) };
    }),
  );
  return replaced.filter((font) => font !== undefined);
}

/** Asks a command of fontconfig; an answer of nothing where there is none. */
async function ask(command: 'fc-match' | 'fc-list', args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, args, { timeout: LOOKUP_TIMEOUT_MS, encoding: 'utf8' });
    return stdout.split('\n')[0]?.split(',')[0]?.trim() ?? '';
  } catch {
    return undefined;
  }
}

/** A family's name in a pattern of fontconfig, where `-`, `:`, `,` and `\` mean something. */
function escapePattern(family: string): string {
  return family.replace(/[\\\-:,]/g, '\\$&');
}

function remember<T>(known: Map<string, T>, name: string, look: () => T): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= NAMES_KEPT_MAX) known.clear();
  const value = look();
  known.set(name, value);
  return value;
}

export function systemFonts(): FontCatalogue {
  const substitutes = new Map<string, Promise<string | undefined>>();
  const coverage = new Map<string, Promise<boolean>>();

  const isCovered = async (name: string): Promise<boolean> => {
    const code = SCRIPTS.find((script) => script.name === name)?.sample.codePointAt(0);
    if (code === undefined) return true;
    const family = await ask('fc-list', [`:charset=${code.toString(16)}`, 'family']);
    // Where fontconfig cannot be asked, nothing is claimed.
    return family !== '';
  };

  return {
    substituteFor: (family) =>
      remember(substitutes, family, async () => {
        const found = await ask('fc-match', ['--format=%{family}\n', escapePattern(family)]);
        return found === '' ? undefined : found;
      }),
    async missingScripts(names) {
      const covered = await Promise.all(names.map((name) => remember(coverage, name, () => isCovered(name))));
      return names.filter((_, index) => covered[index] === false);
    },
  };
}

/** The file of a font for text that asks for none that is known; undefined where nobody can tell. */
export async function plainFont(): Promise<Buffer | undefined> {
  const path = await ask('fc-match', ['--format=%{file}', 'sans-serif']);
  return path ? await readFile(path) : undefined;
}
