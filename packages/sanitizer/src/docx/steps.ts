import type { Inspector } from '@scriptorium/ooxml/package';
import type { Metafiles } from '../sources/source.ts';
import { activeFields, unsafeLinks } from './active-fields.ts';
import { addressAttributes } from './address-attributes.ts';
import { alternativeContents, type ChangeChunk, noAlternativeContents } from './alternative-contents.ts';
import { embeddedFonts } from './embedded-fonts.ts';
import { embeddedObjects } from './embedded-objects.ts';
import { externalRelationships } from './external-relationships.ts';
import { fields } from './fields.ts';
import { images } from './images.ts';
import { layoutBounds } from './layout-bounds.ts';
import { macros } from './macros.ts';
import { pageBreaks } from './page-breaks.ts';
import { pageCountsInConditions } from './page-counts-in-conditions.ts';
import { references } from './references.ts';
import { remoteTemplates } from './remote-templates.ts';
import { symbolRuns } from './symbol-runs.ts';

const EVERYWHERE: readonly ((metafiles?: Metafiles) => Inspector)[] = [
  remoteTemplates,
  externalRelationships,
  macros,
  embeddedObjects,
  references,
  () => addressAttributes(),
  images,
  embeddedFonts,
  pageBreaks,
  symbolRuns,
  layoutBounds,
  () => fields([activeFields, unsafeLinks, pageCountsInConditions]),
];

/**
 * Creates the inspectors that sanitize one document before a layout engine reads it. `changeChunk` is applied to each
 * Word document inside it. `further` inspectors see the document and those inside it. To add a step: one file, one line
 * here.
 */
export function sanitizers(
  changeChunk: ChangeChunk = async (bytes) => bytes,
  further: readonly Inspector[] = [],
  metafiles?: Metafiles,
): Inspector[] {
  const make = () => EVERYWHERE.map((step) => step(metafiles));
  const inside = () => [...make(), noAlternativeContents(), ...further];
  return [...make(), alternativeContents(inside, changeChunk), ...further];
}
