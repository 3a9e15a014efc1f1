import { PdfError } from '../pdf-error.ts';
import { normalAppearance } from '../read/annotations.ts';
import type { PdfDocument } from '../read/document.ts';
import { inheritedFrom } from '../read/pages.ts';
import { Dict, type Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { type Drawing, drawingOfForm, drawingOfPage, type Mark } from './drawing.ts';
import { objectValue } from './object-usage.ts';

/** Returns undefined if the drawing cannot be determined. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof PdfError) return undefined;
    throw error;
  }
}

/** The places of text and images on the pages of a document. Each page is read once. */
export class PageMarks {
  readonly #budget: Budget;
  readonly #pages = new Map<number, readonly Mark[] | undefined>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** The marks of a page's own content; undefined if they cannot be determined. */
  ofPage(document: PdfDocument, num: number): readonly Mark[] | undefined {
    if (!this.#pages.has(num)) {
      const page = objectValue(document, num);
      const draw = (dict: Dict) =>
        drawingOfPage(
          document,
          dict.get('Contents'),
          inheritedFrom(document, dict, 'Resources'),
          this.#budget,
        );
      const drawing = page instanceof Dict ? attempt(() => draw(page)) : undefined;
      this.#pages.set(num, drawing?.marks);
    }
    return this.#pages.get(num);
  }

  /** The drawing of an annotation's normal appearance; undefined if it is missing or undetermined. */
  ofAppearance(document: PdfDocument, annotation: Dict): Drawing | undefined {
    const form = normalAppearance(document, annotation);
    return form && this.ofForm(document, form);
  }

  ofForm(document: PdfDocument, form: Stream): Drawing | undefined {
    return attempt(() => drawingOfForm(document, form, this.#budget));
  }
}
