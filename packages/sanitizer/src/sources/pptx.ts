import { Budget } from '@scriptorium/ooxml/bounds';
import { openPackage, POWERPOINT_PACKAGE, writePackage } from '@scriptorium/ooxml/package';
import { surveyComments } from '../office/survey-comments.ts';
import { slideObjects } from '../slides/slide-objects.ts';
import { slideSanitizers } from '../slides/steps.ts';
import { tabStops } from '../slides/tab-stops.ts';
import { tableLines } from '../slides/table-lines.ts';
import { textLinks } from '../slides/text-links.ts';
import { decryptPackage } from './encrypted/decrypt-package.ts';
import { surveyScripts } from './scripts.ts';
import type { SourceSanitizer } from './source.ts';

/** Rewrites the parts of PowerPoint presentations: slides, layouts, drawings and charts. */
export const pptxSanitizer: SourceSanitizer = {
  async prepare(bytes, { metafiles, password, to, marksLinks = false }) {
    const budget = new Budget();
    const scripts = new Set<string>();
    const comments = surveyComments();
    const objects = slideObjects();
    const mended = [tableLines(), tabStops()];
    const links = to === 'png' || marksLinks ? textLinks(marksLinks) : undefined;
    const further = [
      objects.inspector,
      surveyScripts(scripts, ['a:t']),
      ...mended,
      ...(links ? [links] : []),
    ];
    const inspectors = [comments.inspector, ...slideSanitizers(further, metafiles)];
    const document = await openPackage(
      decryptPackage(bytes, password),
      inspectors,
      budget,
      POWERPOINT_PACKAGE,
    );
    for (const { apply } of mended) apply();
    const marked = links?.apply() ?? [];
    objects.finish(document, budget);
    return {
      bytes: writePackage(document, { isCompressed: false }),
      engineSource: 'pptx',
      dropped: document.dropped,
      facts: {
        comments: comments.count(document, budget),
        scripts: [...scripts],
        ...(marked.length > 0 && { textLinks: marked }),
      },
    };
  },
};
