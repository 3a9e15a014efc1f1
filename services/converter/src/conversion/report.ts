import {
  type ConversionReport,
  REPORT_ITEMS_MAX,
  REPORT_TEXT_CHARS_MAX,
} from '@scriptorium/contracts/jobs/conversion-report';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import type { Dropped } from '@scriptorium/ooxml/package';
import type { Shortfall } from '@scriptorium/pdf/conformance';
import type { Facts } from '@scriptorium/sanitizer/sanitize';
import { WORD_SOURCES } from '@scriptorium/sanitizer/sources';
import type { EngineResult, MissingFont } from '../engines/engine.ts';
import { type FontCatalog, isAsWide } from './fonts.ts';

export interface ConversionStory {
  options: Conversion;
  facts: Facts;
  result: EngineResult;
  /** Undefined if the engine cannot report them. */
  replaced: readonly MissingFont[] | undefined;
  /** What a PDF/A or PDF/UA still lacks; undefined for other results. */
  missing: readonly Shortfall[] | undefined;
  /** What was removed from the result. */
  removed: readonly Dropped[];
  /** The names of its fields for signers; undefined for a place on no page. */
  fieldNames: readonly (string | undefined)[] | undefined;
  engine: string;
  attempts: number;
  gateMs: number;
  totalMs: number;
}

/** The report needs no more precision than a tenth of a millisecond. */
const round = (ms: number): number => Math.round(10 * ms) / 10;

const short = (text: string): string => text.slice(0, REPORT_TEXT_CHARS_MAX).toWellFormed();

function shortNames({ asked, used }: MissingFont): MissingFont {
  return { asked: short(asked), ...(used === undefined ? {} : { used: short(used) }) };
}

const shortList = (fonts: readonly MissingFont[]): MissingFont[] =>
  fonts.slice(0, REPORT_ITEMS_MAX).map(shortNames);

function signatureFieldsOf({ fieldPlaces }: Facts, names: readonly (string | undefined)[]) {
  const fields = (fieldPlaces?.fields ?? []).slice(0, REPORT_ITEMS_MAX);
  return fields.map(({ name: wanted }, at) => {
    const name = names[at];
    return { wanted: short(wanted), ...(name !== undefined && { name: short(name) }) };
  });
}

/** Builds the report of a conversion. */
export async function reportOf(story: ConversionStory, fonts: FontCatalog): Promise<ConversionReport> {
  const { options, facts, result } = story;
  const { waitMs, runMs, loadMs, updateMs, exportMs } = result.timings;
  const isWord = WORD_SOURCES.includes(options.from);
  const missingScripts = await fonts.missingScripts(facts.scripts);
  const otherWidths = story.replaced?.filter((font) => !isAsWide(font));
  return {
    pages: result.pages,
    warnings:
      (otherWidths?.length ?? 0) +
      missingScripts.length +
      facts.dropped.seenCount +
      story.removed.length +
      (story.fieldNames?.filter((name) => name === undefined).length ?? 0) +
      (story.missing?.length ?? 0),
    ...(story.missing && { conformance: { missing: [...story.missing] } }),
    fonts: {
      ...(otherWidths && { replaced: shortList(otherWidths) }),
      ...(story.replaced && { sameWidths: shortList(story.replaced.filter(isAsWide)) }),
      missingScripts: missingScripts.slice(0, REPORT_ITEMS_MAX),
    },
    dropped: {
      count: facts.dropped.count + story.removed.length,
      items: [...facts.dropped.items, ...story.removed]
        .slice(0, REPORT_ITEMS_MAX)
        .map(({ what, part, detail }) => ({
          what,
          part: short(part),
          ...(detail === undefined ? {} : { detail: short(detail) }),
        })),
    },
    ...(story.fieldNames && { signatureFields: signatureFieldsOf(facts, story.fieldNames) }),
    macros: facts.dropped.hasMacros,
    revisions: { ...facts.revisions, shown: isWord ? options.revisions : 'markup' },
    comments: { count: facts.comments, shown: options.comments },
    fields: {
      updated: options.updateFields,
      frozen: Object.values(facts.frozenFields).reduce((sum, count) => sum + count, 0),
      kinds: facts.frozenFields,
    },
    engine: {
      name: story.engine,
      attempts: story.attempts,
      ...(result.loader && { loader: result.loader }),
    },
    timings: {
      gateMs: round(story.gateMs),
      waitMs: round(waitMs),
      ...(loadMs !== undefined && { loadMs: round(loadMs) }),
      ...(updateMs !== undefined && { updateMs: round(updateMs) }),
      ...(exportMs !== undefined && { exportMs: round(exportMs) }),
      engineMs: round(runMs),
      totalMs: round(story.totalMs),
    },
  };
}
