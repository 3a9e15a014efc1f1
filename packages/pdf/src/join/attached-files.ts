import { PdfString } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { DistinctNames, insertAscii } from './distinct-names.ts';
import type { JoinedSource } from './source.ts';
import { readTree, writeTree } from './trees.ts';

/** The embedded files of the result (ISO 32000-2, 7.11.4), and those that are associated with a whole document. */
export class JoinedFiles {
  readonly #names = new DistinctNames();
  readonly #files: [string, string][] = [];
  readonly #associated = new Set<string>();

  add(source: JoinedSource): void {
    const { document, copier } = source;
    const names = source.dict('Names');
    const files = names ? readTree(document, names.get('EmbeddedFiles'), 'Names') : [];
    for (const [key, value] of files) {
      const file = typeof key === 'string' ? copier.reference(value) : undefined;
      if (typeof key !== 'string' || file === undefined) continue;
      const name = new PdfString(Buffer.from(key, 'latin1'), false);
      const suffix = this.#names.name(name.text).slice(name.text.length);
      const bytes = insertAscii(name, name.text.length, suffix);
      this.#files.push([bytes.toString('latin1'), file]);
    }
    for (const item of source.list(source.catalog, 'AF')) {
      const file = copier.reference(item);
      if (file !== undefined) this.#associated.add(file);
    }
  }

  /** Returns the root of the name tree, and the array for the catalog; undefined if there are none. */
  finish(file: NewFile): { names: string | undefined; associated: string | undefined } {
    const hasAssociated = this.#associated.size > 0;
    return {
      names: this.#files.length > 0 ? writeTree(file, this.#files, 'Names') : undefined,
      associated: hasAssociated ? `[${[...this.#associated].join(' ')}]` : undefined,
    };
  }
}
