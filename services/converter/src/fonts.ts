import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SCRIPTS } from '@scriptorium/sanitizer/scripts';
import { Pool } from './engines/pool.ts';

const run = promisify(execFile);
const LOOKUP_TIMEOUT_MS = 5_000;
/** Each is a process. */
const LOOKUPS_AT_ONCE_MAX = 4;
/** For one document; those after them are reported without a substitute. */
const FAMILIES_LOOKED_UP_MAX = 100;
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
  let left = FAMILIES_LOOKED_UP_MAX;
  const replaced = await Promise.all(
    missing.map(async (asked) => {
      const families = asked.split(';').map((family) => family.trim());
      left -= families.length;
      if (left < 0) return { asked };
      const used = await Promise.all(families.map((family) => fonts.substituteFor(family)));
      const isThere = used.some((name, index) => name?.toLowerCase() === families[index]?.toLowerCase());
      return isThere ? undefined : { asked, ...(used[0] === undefined ? {} : { used: used[0] }) };
    }),
  );
  return replaced.filter((font) => font !== undefined);
}

const forever = new AbortController().signal;
const turns = new Pool<number>();
for (let turn = 0; turn < LOOKUPS_AT_ONCE_MAX; turn++) turns.put(turn);

/** Asks a command of fontconfig; an answer of nothing where there is none. */
async function ask(command: string, args: readonly string[]): Promise<string | undefined> {
  const turn = await turns.take(forever);
  try {
    const { stdout } = await run(command, args, { timeout: LOOKUP_TIMEOUT_MS, encoding: 'utf8' });
    return stdout.split('\n')[0]?.split(',')[0]?.trim() ?? '';
  } catch {
    return undefined;
  } finally {
    turns.put(turn);
  }
}

/** A family's name in a pattern of fontconfig, where `-`, `:`, `,` and `\` mean something. */
function escapePattern(family: string): string {
  return family.replace(/[\\\-:,]/g, '\\$&');
}

/** What was found once; asked again where nothing was, for that is no answer to keep. */
function remember<T>(
  known: Map<string, Promise<T | undefined>>,
  name: string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= NAMES_KEPT_MAX) known.clear();
  const value = look().then((answer) => {
    if (answer === undefined) known.delete(name);
    return answer;
  });
  known.set(name, value);
  return value;
}

/** The fonts of this host. `match` is the command of fontconfig that finds one for a name. */
export function systemFonts(match = 'fc-match'): FontCatalogue {
  const substitutes = new Map<string, Promise<string | undefined>>();
  const coverage = new Map<string, Promise<boolean | undefined>>();

  const isCovered = async (name: string): Promise<boolean | undefined> => {
    const code = SCRIPTS.find((script) => script.name === name)?.sample.codePointAt(0);
    if (code === undefined) return true;
    const family = await ask('fc-list', [`:charset=${code.toString(16)}`, 'family']);
    // Where fontconfig cannot be asked, nothing is claimed.
    return family === undefined ? undefined : family !== '';
  };

  return {
    substituteFor: (family) =>
      remember(substitutes, family, async () => {
        const found = await ask(match, ['--format=%{family}\n', escapePattern(family)]);
        return found === '' ? undefined : found;
      }),
    async missingScripts(names) {
      const covered = await Promise.all(names.map((name) => remember(coverage, name, () => isCovered(name))));
      return names.filter((_, index) => covered[index] === false);
    },
  };
}
