import { type Inspector, POWERPOINT_PACKAGE } from '@scriptorium/ooxml/package';
import { externalRelationships } from '../docx/external-relationships.ts';
import { images } from '../docx/images.ts';
import { references } from '../docx/references.ts';
import { actions } from '../office/actions.ts';
import { allowedParts } from '../office/allowed-parts.ts';
import { allowedChildren, type Children, removedElements } from '../office/removed-elements.ts';
import { countedElements, shapeBounds } from '../office/shape-bounds.ts';
import type { Metafiles } from '../sources/source.ts';
import { slideNumbers } from './slide-numbers.ts';
import { unwrappedText } from './unwrapped-text.ts';
import { VML_DRAWING } from './vml-pictures.ts';

const KINDS = ['slide', 'slideLayout', 'slideMaster', 'tableStyles', VML_DRAWING];
const [MAIN_TYPE = ''] = POWERPOINT_PACKAGE.mainTypes;

/** What a presentation and its slides may hold; not transitions, timings and extensions (ECMA-376-1 §19.2.1.26, §19.3.1). */
const CHILDREN: Children = new Map([
  [
    'p:presentation',
    new Set(['p:sldMasterIdLst', 'p:sldIdLst', 'p:sldSz', 'p:notesSz', 'p:kinsoku', 'p:defaultTextStyle']),
  ],
  ['p:sld', new Set(['p:cSld', 'p:clrMapOvr'])],
  ['p:sldLayout', new Set(['p:cSld', 'p:clrMapOvr', 'p:hf'])],
  ['p:sldMaster', new Set(['p:cSld', 'p:clrMap', 'p:sldLayoutIdLst', 'p:hf', 'p:txStyles'])],
]);

const REMOVED = {
  'p:controls': {},
  'p:custDataLst': {},
  'p:timing': {},
  'p:transition': {},
  'p:contentPart': { what: 'unknown part', leavesGap: true },
  'p14:media': {},
  'a:snd': {},
  'a:audioCd': {},
  'a:wavAudioFile': {},
  'a:audioFile': {},
  'a:videoFile': {},
  'a:quickTimeFile': {},
  'c:externalData': {},
} as const;

/** Turns templates, shows and macro-enabled presentations into plain ones. */
function presentations(): Inspector {
  return {
    keepsPart(part) {
      if (POWERPOINT_PACKAGE.mainTypes.has(part.contentType)) part.contentType = MAIN_TYPE;
      return true;
    },
  };
}

/** Creates the inspectors that sanitize one presentation. `further` ones see it, too. */
export function slideSanitizers(further: readonly Inspector[], metafiles?: Metafiles): Inspector[] {
  return [
    externalRelationships(),
    presentations(),
    allowedParts(KINDS),
    references(),
    images(metafiles),
    allowedChildren(CHILDREN),
    removedElements(REMOVED),
    actions(),
    unwrappedText(),
    slideNumbers(),
    countedElements({ 'p:sldId': 'slidesMax' }),
    ...shapeBounds(),
    ...further,
  ];
}
