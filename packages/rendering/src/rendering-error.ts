/** Why pages cannot be rendered: PDFium cannot read them, they are over a bound, or PDFium aborted. */
export type RenderingCode = 'UNREADABLE' | 'TOO_LARGE' | 'FAILED';

/** An expected failure. The message is safe to show. */
export class RenderingError extends Error {
  readonly code: RenderingCode;

  constructor(code: RenderingCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RenderingError';
    this.code = code;
  }
}
