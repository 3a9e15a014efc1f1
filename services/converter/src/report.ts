import {
  type ConversionReport,
  REPORT_ITEMS_MAX,
  REPORT_TEXT_CHARS_MAX,
} from '@scriptorium/shared/jobs/conversion-report';
import type { Conversion } from '@scriptorium/shared/jobs/convert';
import type { EngineResult } from './engine.ts';
import type { FontCatalogue } from './fonts.ts';
import type { Facts } from './prepare.ts';

export interface ConversionStory {
  options: Conversion;
  facts: Facts;
  result: EngineResult;
  engine: string;
  attempts: number;
  gateMs: number;
  totalMs: number;
}

const short = (text: string): string => text.slice(0, REPORT_TEXT_CHARS_MAX).toWellFormed();

/** Puts together what a conversion did. */
export async function reportOf(story: ConversionStory, fonts: FontCatalogue): Promise<ConversionReport> {
  const { options, facts, result } = story;
  const { runMs, ...timings } = result.timings;
  const isDocx = options.from === 'docx';
  return {
    pages: result.pages,
    fonts: {
      ...(result.missingFonts && { replaced: await replacedFonts(result.missingFonts, fonts) }),
      missingScripts: (await fonts.missingScripts(facts.scripts)).slice(0, REPORT_ITEMS_MAX),
    },
    dropped: {
      count: facts.dropped.length,
      items: facts.dropped.slice(0, REPORT_ITEMS_MAX).map(({ what, part, detail }) => ({
        what,
        part: short(part),
        ...(detail === undefined ? {} : { detail: short(detail) }),
      })),
    },
    macros: facts.dropped.some(({ what }) => what === 'macro'),
    revisions: { ...facts.revisions, shown: isDocx ? options.revisions : 'markup' },
    comments: { count: facts.comments, shown: options.comments },
    fields: { updated: options.updateFields, frozen: facts.frozenFields },
    engine: { name: story.engine, attempts: story.attempts },
    timings: {
      gateMs: story.gateMs,
      ...timings,
      engineMs: runMs,
      totalMs: story.totalMs,
    },
  };
}

async function replacedFonts(
  missing: readonly string[],
  fonts: FontCatalogue,
): Promise<NonNullable<ConversionReport['fonts']['replaced']>> {
  return await Promise.all(
    missing.slice(0, REPORT_ITEMS_MAX).map(async (asked) => {
      const used = await fonts.substituteFor(asked);
      return { asked: short(asked), ...(used === undefined ? {} : { used: short(used) }) };
    }),
  );
}
