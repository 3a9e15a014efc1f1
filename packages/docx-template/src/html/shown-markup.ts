import { OoxmlError } from '@scriptorium/ooxml/error';
import { shownPage } from '@scriptorium/sanitizer/shown-page';
import type { HtmlLoss } from '../package-editor.ts';

/** HTML that exceeds a bound. The message is an issue: “has more than …”. */
export class HtmlRefusal extends Error {}

/** The markup of what a browser would print. Throws HtmlRefusal. */
export function shownMarkup(html: string, lost: Set<HtmlLoss>): string {
  try {
    const { pieces } = shownPage(
      html,
      () => {},
      () => {},
    );
    if (pieces.some((piece) => typeof piece !== 'string')) lost.add('pictures');
    return pieces.filter((piece) => typeof piece === 'string').join('');
  } catch (error) {
    if (error instanceof OoxmlError) throw new HtmlRefusal(error.message.replace(/^The document |\.$/g, ''));
    throw error;
  }
}
