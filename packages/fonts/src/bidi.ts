type Direction = 'left' | 'right' | 'number' | 'neutral';

const RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;
const LEFT = /\p{L}/u;
const NUMBER = /\p{Nd}/u;
const MARK = /^\p{M}/u;
const MIRRORED = new Map(
  ['()', '[]', '{}', '<>', '«»', '‹›'].flatMap(
    ([a = '', b = '']) =>
      [
        [a, b],
        [b, a],
      ] as const,
  ),
);

/**
 * The items of one line in visual order from left to right. Implements the Unicode Bidirectional Algorithm (UAX #9) for
 * lines without explicit formatting, with one level of numbers and foreign words within a direction. `textOf` returns
 * the text of an item. `mirror` mirrors a bracket in right-to-left text.
 */
export function visualOrder<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  mirror: (item: T, text: string) => T,
): T[] {
  if (!items.some((item) => RIGHT.test(textOf(item)))) return [...items];
  const groups = withMarks(items, textOf);
  const texts = groups.map(([first]) => textOf(first));
  const directions = texts.map(directionOf);
  const base =
    directions.find((direction) => direction === 'left' || direction === 'right') === 'right' ? 1 : 0;
  const levels = levelsOf(directions, base);
  const turned = groups.map(([first, ...marks], index) => {
    const other = levels[index] === 1 ? MIRRORED.get(texts[index] ?? '') : undefined;
    return [other === undefined ? first : mirror(first, other), ...marks];
  });
  return reorder(turned, levels).flat();
}

/** Marks stay after their letters in both directions (UAX #9, L3). */
function withMarks<T>(items: readonly T[], textOf: (item: T) => string): [T, ...T[]][] {
  const groups: [T, ...T[]][] = [];
  for (const item of items) {
    if (MARK.test(textOf(item))) groups.at(-1)?.push(item) ?? groups.push([item]);
    else groups.push([item]);
  }
  return groups;
}

function directionOf(text: string): Direction {
  if (NUMBER.test(text)) return 'number';
  if (RIGHT.test(text)) return 'right';
  return LEFT.test(text) ? 'left' : 'neutral';
}

/** Levels 0 and 2 run to the right, 1 to the left (UAX #9, W7 to I2). */
function levelsOf(directions: readonly Direction[], base: 0 | 1): number[] {
  let strong: Direction = base === 1 ? 'right' : 'left';
  const resolved = directions.map((direction): Direction => {
    if (direction === 'left' || direction === 'right') strong = direction;
    return direction === 'number' && strong === 'left' ? 'left' : direction;
  });
  return resolved.map((direction, index) => {
    if (direction === 'neutral') return neutralLevel(resolved, index, base);
    if (direction === 'right') return 1;
    return direction === 'number' || base === 1 ? 2 : 0;
  });
}

/** Neutrals take the direction of both sides if it is the same, else that of the line. Numbers are right-to-left. */
function neutralLevel(directions: readonly Direction[], index: number, base: 0 | 1): number {
  const side = (step: 1 | -1): number => {
    let at = index + step;
    while (directions[at] === 'neutral') at += step;
    const direction = directions[at];
    if (direction === undefined) return base;
    return direction === 'left' ? 0 : 1;
  };
  const before = side(-1);
  const level = before === side(1) ? before : base;
  return level === 0 && base === 1 ? 2 : level;
}

/** Reverses every run at a level or above, from the highest level down (UAX #9, L2). */
function reorder<T>(items: readonly T[], levels: readonly number[]): T[] {
  const order = items.map((_, index) => index);
  for (let level = 2; level >= 1; level--) {
    for (let start = 0; start < order.length; start++) {
      let end = start;
      while (end < order.length && (levels[order[end] ?? 0] ?? 0) >= level) end++;
      if (end - start > 1) order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = end;
    }
  }
  return order.flatMap((index) => items.slice(index, index + 1));
}
