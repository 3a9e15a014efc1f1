/** Bytes that are searched at a time. */
const PIECE_BYTES = 2 ** 22;
/** The longest name (ISO 32000-1, annex C), and its slash. */
const NAME_BYTES_MAX = 128;
/** Names of links and of actions that start something, and names in which a letter is escaped. */
const ACTION =
  /\/(?:URI|JavaScript|JS|Launch|GoTo[RE]|Thread|ImportData|SubmitForm|Rendition|Movie|Sound|RichMedia|[^\0-\x20()<>[\]{}/%#]*#[4-7])/g;

/**
 * The places in a PDF where names stand that links and actions have, in ascending order. Those in compressed data are there,
 * too: they are rare.
 */
export function actionsIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const piece = bytes.toString('latin1', from, Math.min(bytes.length, from + PIECE_BYTES + NAME_BYTES_MAX));
    for (const { index } of piece.matchAll(ACTION)) if (index < PIECE_BYTES) found.push(from + index);
  }
  return found;
}

/** Whether a PDF may have links, or actions that start something. */
export function mayAct(bytes: Buffer): boolean {
  return actionsIn(bytes).length > 0;
}
