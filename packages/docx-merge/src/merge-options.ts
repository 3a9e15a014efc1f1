export type Break = 'page' | 'odd' | 'even' | 'continuous';

export interface MergePart {
  source: Buffer;
  /** These take the place of the options of the whole. */
  break?: Break | undefined;
  headers?: 'keep' | 'first' | undefined;
}

export interface MergeOptions {
  /** How a document begins after the one before it. */
  break: Break;
  /** `keep`: each document has its own headers and footers. `first`: the others take those of the first. */
  headers: 'keep' | 'first';
  /** `keep`: each looks as it did. `first`: a style of the same name takes the look of the first document. */
  styles: 'keep' | 'first';
  /** `keep`: lists, captions and notes of each document begin again. `continue`: they go on. */
  numbering: 'keep' | 'continue';
  /** `keep`: as in each document. `continue`: through the whole. `restart`: each document begins at 1. */
  pageNumbers: 'keep' | 'continue' | 'restart';
}
