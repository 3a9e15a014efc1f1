export const EMU_PER_TWIP = 635;
/** CSS pixels, 96 per inch. */
export const EMU_PER_PIXEL = 9_525;
const TWIPS_PER_POINT = 20;
/** Units of a universal measure in points (ECMA-376-1 §22.9.2.15). */
const UNIT_POINTS: Readonly<Record<string, number>> = {
  mm: 72 / 25.4,
  cm: 72 / 2.54,
  in: 72,
  pt: 1,
  pc: 12,
  pi: 12,
};
const MEASURE = /^(-?\d+(?:\.\d+)?)(mm|cm|in|pt|pc|pi)?$/;

/** Reads a measure in twips, as Word writes it, or with a unit. Undefined if it is invalid. */
export function twipsOf(measure: string | undefined): number | undefined {
  const [, number, unit] = MEASURE.exec(measure?.trim() ?? '') ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (unit === undefined ? 1 : TWIPS_PER_POINT * (UNIT_POINTS[unit] ?? 1));
}

/** Reads fiftieths of a percent, or a percentage with a percent sign (§17.18.90), as a share of one. */
export function shareOf(percentage: string | undefined): number | undefined {
  const [, number, sign] = /^(\d+(?:\.\d+)?)(%)?$/.exec(percentage?.trim() ?? '') ?? [];
  return number === undefined ? undefined : Number(number) / (sign === undefined ? 5_000 : 100);
}

/** The available room for a picture. */
export interface Room {
  widthEmu: number;
  heightEmu: number;
}
