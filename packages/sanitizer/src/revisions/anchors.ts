const NAME_END = /^<[^\s/>]+/;

/**
 * Starts and ends of bookmarks, comments and permissions that lie in one stretch of a document, so that they can be kept
 * when the stretch goes. Those whose start and end both lie in it go with it; a start alone, or an end, must stay.
 */
export class Anchors {
  readonly outer: Anchors | undefined;
  readonly #tags = new Map<string, string>();

  constructor(outer?: Anchors) {
    this.outer = outer;
  }

  /** `range` is the kind and id that a start and its end share; `tag` is its start tag. */
  add(range: string, isStart: boolean, tag: string): void {
    if (isStart || !this.#tags.delete(`start ${range}`))
      this.#tags.set(`${isStart ? 'start' : 'end'} ${range}`, tag.replace(/\s*\/?>$/, '/>'));
  }

  addAll(inner: Anchors): void {
    for (const [key, tag] of inner.#tags) {
      const isStart = key.startsWith('start ');
      this.add(key.slice(isStart ? 6 : 4), isStart, tag);
    }
  }

  /** What stays, as XML; `declarations` are namespaces that the removed stretch itself declared. */
  xml(declarations = ''): string {
    const tags = [...this.#tags.values()];
    if (declarations === '') return tags.join('');
    return tags
      .map((tag) => (tag.includes(' xmlns') ? tag : tag.replace(NAME_END, (name) => name + declarations)))
      .join('');
  }
}
