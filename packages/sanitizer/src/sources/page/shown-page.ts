import { Cascade } from './cascade.ts';
import { isOnPaper, type OnOmitted, rulesOf, type StyleRule, withoutComments } from './style-sheet.ts';
import { elementsOf, ownText, type PageElement, readTree } from './tree.ts';
import { Variables } from './variables.ts';
import { PageWriter, type Piece } from './writer.ts';

const STYLE = new Set(['style']);
const TITLE = new Set(['title']);

/** What a page shows on paper. None of it is safe yet. */
export interface ShownPage {
  title: string;
  rules: readonly StyleRule[];
  /** Its markup. */
  pieces: readonly Piece[];
}

/** Reads a page, and calls `onElement` for each of its elements. Throws OoxmlError for bounds that are passed. */
export function shownPage(
  html: string,
  onElement: (element: PageElement) => void,
  onOmitted: OnOmitted,
): ShownPage {
  const page = readTree(html, onElement);
  const sheets = elementsOf(page, STYLE).filter(
    ({ attributes }) => isOnPaper(attributes.media ?? '') !== false,
  );
  const source = [...rulesOf(withoutComments(sheets.map(ownText).join('\n')), onOmitted)];
  const variables = new Variables(source);
  const rules = source.map((rule) => ({ ...rule, declarations: variables.resolved(rule.declarations) }));
  const pieces = new PageWriter(new Cascade(rules, variables, onOmitted), onOmitted).write(page);
  return { title: elementsOf(page, TITLE).map(ownText)[0] ?? '', rules, pieces };
}
