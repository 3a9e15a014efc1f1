import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sampleOf } from '@scriptorium/sanitizer/scripts';
import { Pool } from '@scriptorium/shares/pool';
import type { MissingFont } from '../engines/engine.ts';
import { replacementsOf } from '../engines/font-replacements.ts';
import { hasSameWidths, metricCopyInFolder } from '../engines/metric-fonts.ts';

const run = promisify(execFile);
const LOOKUP_TIMEOUT_MS = 5_000;
/** Each lookup is a process. */
const LOOKUPS_AT_ONCE_MAX = 4;
/** For one document; any further fonts are reported without a substitute. */
const FAMILIES_LOOKED_UP_MAX = 100;
/** Documents use the same few fonts; a hostile one must not fill the memory with names. */
const NAMES_KEPT_MAX = 1_000;

/** What fontconfig reports about the installed fonts; LibreOffice uses it too. */
export interface FontCatalog {
  /** The family that replaces one that is not installed; undefined if this is unknown. */
  substituteFor(family: string): Promise<string | undefined>;
  /** Those of the scripts and emoji that no installed font supports. */
  missingScripts(names: readonly string[]): Promise<string[]>;
}

/**
 * The fonts that are really missing, among those without an exact match in an engine. The engine also reports lists of fonts
 * (`Arial;sans-serif`), of which one may be installed. If the engine does not report which font it used, that of fontconfig
 * counts; `used` is undefined if that is unknown, too.
 */
export async function replacedFonts(
  missing: readonly MissingFont[],
  fonts: Pick<FontCatalog, 'substituteFor'>,
): Promise<MissingFont[]> {
  let left = FAMILIES_LOOKED_UP_MAX;
  const replaced = await Promise.all(
    missing.map(async (font) => {
      const families = font.asked.split(';').map((family) => family.trim());
      if (font.used !== undefined) return hasFamily(families, font.used) ? undefined : font;
      left -= families.length;
      if (left < 0) return font;
      const used = await Promise.all(families.map((family) => fonts.substituteFor(family)));
      const isThere = used.some((name, index) => name?.toLowerCase() === families[index]?.toLowerCase());
      return isThere ? undefined : { ...font, ...(used[0] === undefined ? {} : { used: used[0] }) };
    }),
  );
  return replaced.filter((font) => font !== undefined);
}

/** Whether lines break at the same words although a font was replaced. */
export const isAsWide = ({ asked, used }: MissingFont): boolean =>
  used !== undefined && asked.split(';').some((family) => hasSameWidths(family.trim(), used));

const hasFamily = (families: readonly string[], name: string): boolean =>
  families.some((family) => family.toLowerCase() === name.toLowerCase());

const forever = new AbortController().signal;
const turns = new Pool<number>((message) => new Error(message));
for (let turn = 0; turn < LOOKUPS_AT_ONCE_MAX; turn++) turns.put(turn);

/** Runs a command of fontconfig; undefined if there is none. */
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

/** Escapes a family's name for a fontconfig pattern, in which `-`, `:`, `,` and `\` are special. */
function escapePattern(family: string): string {
  return family.replace(/[\\\-:,]/g, '\\$&');
}

/** Caches answers; a failed lookup is not cached. */
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
export function systemFonts(match = 'fc-match'): FontCatalog {
  const substitutes = new Map<string, Promise<string | undefined>>();
  const coverage = new Map<string, Promise<boolean | undefined>>();

  const isCovered = async (name: string): Promise<boolean | undefined> => {
    const code = sampleOf(name)?.codePointAt(0);
    if (code === undefined) return true;
    const family = await ask('fc-list', [`:charset=${code.toString(16)}`, 'family']);
    // Without an answer of fontconfig, assume nothing.
    return family === undefined ? undefined : family !== '';
  };

  return {
    substituteFor: (family) =>
      remember(substitutes, family, async () => {
        const families = [family, ...replacementsOf(family)].map(escapePattern);
        const found = await ask(match, ['--format=%{family}\n', families.join(',')]);
        if (found?.toLowerCase() === family.toLowerCase()) return found;
        return metricCopyInFolder(family) ?? (found === '' ? undefined : found);
      }),
    async missingScripts(names) {
      const covered = await Promise.all(names.map((name) => remember(coverage, name, () => isCovered(name))));
      return names.filter((_, index) => covered[index] === false);
    },
  };
}
