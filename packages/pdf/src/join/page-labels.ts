import { Dict } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import type { JoinedSource } from './source.ts';
import { readTree, writeTree } from './trees.ts';

/** The page labels of the result (ISO 32000-2, 12.4.2). Documents without labels keep the numbers of pages. */
export class JoinedPageLabels {
  readonly #ranges: [number, string][] = [];
  #hasLabels = false;
  #isCounting = false;

  add(source: JoinedSource): void {
    const { document, pagesBefore, copier } = source;
    const own = source.get('PageLabels');
    const found = own instanceof Dict ? [...readTree(document, own, 'Nums')] : [];
    const labels = found.flatMap(([index, value]): [number, string][] => {
      const dict = document.resolve(value);
      const isPage = typeof index === 'number' && index >= 0 && index < source.pages.length;
      return isPage && dict instanceof Dict ? [[pagesBefore + index, copier.text(dict)]] : [];
    });
    if (labels.length > 0) this.#hasLabels = true;
    const isLabeled = labels.some(([index]) => index === pagesBefore);
    if (!isLabeled && !(labels.length === 0 && this.#isCounting)) {
      this.#ranges.push([pagesBefore, `<</S/D/St ${labels.length > 0 ? 1 : pagesBefore + 1}>>`]);
    }
    this.#isCounting = labels.length === 0;
    this.#ranges.push(...labels);
  }

  /** Returns the root of the number tree; undefined if no document has labels. */
  finish(file: NewFile): string | undefined {
    return this.#hasLabels ? writeTree(file, this.#ranges, 'Nums') : undefined;
  }
}
