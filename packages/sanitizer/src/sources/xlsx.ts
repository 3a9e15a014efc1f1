import { Budget } from '@scriptorium/ooxml/bounds';
import { EXCEL_PACKAGE, type Inspector, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { surveyComments } from '../office/survey-comments.ts';
import { sheetSanitizers } from '../sheets/steps.ts';
import { retypeSheets } from '../sheets/workbook-inspector.ts';
import { decryptPackage } from './encrypted/decrypt-package.ts';
import { surveyScripts } from './scripts.ts';
import type { SourceSanitizer } from './source.ts';

/** Excel encrypts a protected workbook without a password of its author with this one, and opens it without asking. */
const NO_PASSWORD = 'VelvetSweatshop';
const TEXTS = ['x:t', 'x:v', 'a:t'];

/** Rewrites the parts of Excel workbooks: values, formats, drawings and charts, without what fetches or runs. */
export const xlsxSanitizer: SourceSanitizer = {
  async prepare(bytes, { metafiles, password }) {
    const budget = new Budget();
    const scripts = new Set<string>();
    const comments = surveyComments();
    const further: Inspector[] = [surveyScripts(scripts, TEXTS)];
    const inspectors = [comments.inspector, ...sheetSanitizers(further, metafiles)];
    const document = await openPackage(
      decryptPackage(bytes, password, NO_PASSWORD),
      inspectors,
      budget,
      EXCEL_PACKAGE,
    );
    retypeSheets(document);
    return {
      bytes: writePackage(document, { isCompressed: false }),
      engineSource: 'xlsx',
      dropped: document.dropped,
      facts: { comments: comments.count(document, budget), scripts: [...scripts] },
    };
  },
};
