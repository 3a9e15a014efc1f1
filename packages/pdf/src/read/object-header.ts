import { Ref } from './values.ts';

const HEADER_BYTES_MAX = 40;

/** The header of an indirect object at this position, such as `12 0 obj`, and its end; undefined if none stands there. */
export function headerAt(bytes: Buffer, position: number): { ref: Ref; end: number } | undefined {
  const head = /^(\d{1,10})[\t\n\f\r ]+(\d{1,5})[\t\n\f\r ]+obj/.exec(
    bytes.toString('latin1', position, position + HEADER_BYTES_MAX),
  );
  return head
    ? { ref: new Ref(Number(head[1]), Number(head[2])), end: position + head[0].length }
    : undefined;
}
