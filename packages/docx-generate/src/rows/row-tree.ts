import { hash } from 'node:crypto';
import { ID_MARK, MARKS, TABLE_ENDS } from '../generate/piece-marks.ts';

/** The text of a place, a loop or condition with its pieces, or text of the template. */
type Part = string | { place: number } | Block;

interface Block {
  pieces: Piece[];
  /** Stands there if no piece does. */
  otherwise: string;
}

/** A copy of a loop, or the content of a branch. */
export interface Piece {
  /** `0[3]`: the branch, and the index of the copy. `0[last]`: the copy that ends a table. */
  key: string;
  parts: Part[];
}

/** A piece of a row: what it must have in common with the piece of a form, and its texts. */
export type PieceShape = readonly [path: string, hash: string, texts: readonly string[]];

const TOKEN = /\u{F5C0}(\d+)\u{F5C1}|\u{F5C2}|\u{F5C3}|\u{F5C4}([^\u{F5C4}\u{F5C5}]*)\u{F5C5}|\u{F5C6}/gu;
const TABLE_END = new RegExp(`^(?:\\s*</w:tbl>|${TABLE_ENDS})`);
const ROW = /^\s*<w:tr[\s>]/;
const LAST = '[last]';

/** Reads the text of a placed document. */
export function rowTree(text: string): Piece {
  const root: Piece = { key: '', parts: [] };
  const pieces: Piece[] = [root];
  const blocks: Block[] = [];
  let from = 0;
  const addText = (to: number) => {
    const [piece, block] = [pieces.at(-1), blocks.at(-1)];
    if (to === from || piece === undefined) return;
    // Between the pieces of a block.
    if (pieces.length === blocks.length && block !== undefined) block.otherwise += text.slice(from, to);
    else piece.parts.push(text.slice(from, to));
  };
  for (const token of text.matchAll(TOKEN)) {
    addText(token.index);
    from = token.index + token[0].length;
    const [mark, place, key] = token;
    if (place !== undefined) pieces.at(-1)?.parts.push({ place: Number(place) });
    else if (mark === MARKS.block) {
      const block: Block = { pieces: [], otherwise: '' };
      pieces.at(-1)?.parts.push(block);
      blocks.push(block);
    } else if (mark === MARKS.blockEnd) blocks.pop();
    else if (mark === MARKS.pieceEnd) pieces.pop();
    else if (key !== undefined) {
      const piece: Piece = { key, parts: [] };
      blocks.at(-1)?.pieces.push(piece);
      pieces.push(piece);
    }
  }
  addText(text.length);
  nameLast(root);
  return root;
}

/**
 * Gives the last copy of a loop that ends its table a name of its own. The import gives the last row of a table other borders,
 * and the look of a last row.
 */
function nameLast({ parts }: Piece): void {
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string' || 'place' in part) continue;
    for (const piece of part.pieces) nameLast(piece);
    const [last, next] = [part.pieces.at(-1), parts[at + 1]];
    const [first] = last?.parts ?? [];
    const isEnd = typeof next === 'string' && TABLE_END.test(next);
    if (last !== undefined && isEnd && /\[\d/.test(last.key) && typeof first === 'string' && ROW.test(first))
      last.key = last.key.replace(/\[.*/, LAST);
  }
}

/** The pieces of a tree, outer ones first. `path` names a piece among those of its template. */
export function* piecesOf(piece: Piece, path = ''): Generator<{ piece: Piece; path: string }> {
  yield { piece, path };
  let block = 0;
  for (const part of piece.parts) {
    if (typeof part === 'string' || 'place' in part) continue;
    for (const inner of part.pieces) yield* piecesOf(inner, `${path}/${block}.${inner.key}`);
    block++;
  }
}

/** The path of the loops and conditions of a piece, whatever copies of them it is in. */
export const blockOf = (path: string): string => path.replace(/\[[^[\]]*\]/g, '');

/** The places of a piece, without those of its inner pieces. */
const placesOf = ({ parts }: Piece): number[] =>
  parts.flatMap((part) => (typeof part !== 'string' && 'place' in part ? [part.place] : []));

/** Whether a piece is part of a paragraph. It cannot be removed, so that rows with another one need another form. */
function isInline({ parts: [first] }: Piece): boolean {
  if (typeof first === 'string') return !/^\s*<w:(?:tr|p|tbl)[\s>]/.test(first);
  return first !== undefined && 'place' in first;
}

/** What pieces of rows have in common if they are the same piece of a form: everything but texts and identifiers. */
export function hashOf({ parts }: Piece): string {
  const text = parts.map((part) => {
    if (typeof part === 'string') return part.replace(ID_MARK, (_, what, _copy, value) => `${what}:${value}`);
    if ('place' in part) return '\u{F5C0}';
    const inline = part.pieces.filter(isInline).map(({ key }) => key);
    return `${MARKS.block}${part.otherwise}${inline.join()}${MARKS.blockEnd}`;
  });
  return hash('sha1', text.join('\u{F5C1}'), 'base64url');
}

/** The shape of a row, which threads can exchange. */
export function shapeOf(tree: Piece, texts: readonly string[]): PieceShape[] {
  return [...piecesOf(tree)].map(({ piece, path }) => [
    path,
    hashOf(piece),
    placesOf(piece).map((place) => texts[place] ?? ''),
  ]);
}

/** Adds the pieces of another row of the same template. Their common pieces have the same hashes. */
export function addPieces(tree: Piece, other: Piece): void {
  const blocks = other.parts.filter((part) => typeof part !== 'string' && 'pieces' in part) as Block[];
  for (const part of tree.parts) {
    if (typeof part === 'string' || 'place' in part) continue;
    for (const piece of blocks.shift()?.pieces ?? []) {
      const own = part.pieces.find(({ key }) => key === piece.key);
      if (own === undefined) part.pieces.push(piece);
      else addPieces(own, piece);
    }
    part.pieces.sort((one, another) => rankOf(one.key) - rankOf(another.key));
  }
}

/** The order of pieces in a block. */
function rankOf(key: string): number {
  const [branch = '', copy = ''] = key.split('[');
  const index = copy.startsWith('last') ? 99_999 : Number.parseInt(copy, 10) || 0;
  return Number(branch) * 100_000 + index;
}

/** A copy of a loop around a text. */
interface Around {
  path: string;
  /** It is the first one, as those around it. */
  isFirst: boolean;
}

/** Writes a tree: with a mark for each piece, whose number is that of its order, and with new numbers of places. */
export function writtenTree(tree: Piece, placeText: (at: number) => string): string {
  let places = 0;
  let pieces = 0;
  const write = ({ parts }: Piece, path: string, copies: readonly Around[]): string => {
    let block = 0;
    const written = (part: Part): string => {
      if (typeof part === 'string') return withCopies(part, copies);
      if ('place' in part) return placeText(places++);
      const inBlock = `${path}/${block++}`;
      const inner = part.pieces.map((piece) => {
        const own = `${inBlock}.${piece.key}`;
        const around = piece.key.endsWith('[]')
          ? copies
          : [...copies, { path: own, isFirst: isFirstOf(part, piece) && copies.at(-1)?.isFirst !== false }];
        return `${MARKS.piece}${++pieces}${MARKS.key}${write(piece, own, around)}${MARKS.pieceEnd}`;
      });
      return inner.join('') + withCopies(part.otherwise, copies);
    };
    return parts.map(written).join('');
  };
  return write(tree, '', []);
}

/** Whether a copy is the first one in each row that has it. */
function isFirstOf({ pieces }: Block, { key }: Piece): boolean {
  const [branch = ''] = key.split('[');
  if (key !== branch + LAST) return key === `${branch}[0]`;
  return pieces.filter((other) => other.key.startsWith(`${branch}[`)).length === 1;
}

/**
 * Names the copies of identifiers by the pieces of the form. The last copies of two rows have different indexes, but are the
 * same piece.
 */
function withCopies(text: string, copies: readonly Around[]): string {
  return text.replace(ID_MARK, (_, what: string, own: string, value: string) => {
    const around = copies[own.split('.').length - 2];
    const inControls = own.slice(own.lastIndexOf('.') + 1).replace(/^\d+/, '');
    const isFirst = around?.isFirst !== false && !/-[1-9]/.test(own);
    const name = isFirst ? '' : `${around?.path ?? ''}${inControls}`;
    return `${MARKS.id}${what}:${name}:${value}${MARKS.idEnd}`;
  });
}
