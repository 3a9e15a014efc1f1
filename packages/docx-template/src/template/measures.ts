export const EMU_PER_TWIP = 635;
/** CSS pixels, of which 96 make an inch. */
export const EMU_PER_PIXEL = 9_525;
const TWIPS_PER_POINT = 20;
/** Points of the units of a universal measure (ECMA-376-1 §22.9.2.15). */
const UNIT_POINTS: Readonly<Record<string, number>> = {
  mm: 72 / 25.4,
  cm: 72 / 2.54,
  in: 72,
  pt: 1,
  pc: 12,
  pi: 12,
};
const MEASURE = /^(-?\d+(?:\.\d+)?)(mm|cm|in|pt|pc|pi)?$/;

/** A measure in twips, as Word writes it, or with a unit; undefined where it makes no sense. */
export function twipsOf(measure: string | undefined): number | undefined {
  const [, number, unit] = MEASURE.exec(measure?.trim() ?? '') ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (unit === undefined ? 1 : TWIPS_PER_POINT * (UNIT_POINTS[unit] ?? 1));
}

/** In fiftieths of a percent, or with a percent sign (§17.18.90), as a share of one. */
export function shareOf(percentage: string | undefined): number | undefined {
  const [, number, sign] = /^(\d+(?:\.\d+)?)(%)?$/.exec(percentage?.trim() ?? '') ?? [];
  return number === undefined ? undefined : Number(number) / (sign === undefined ? 5_000 : 100);
}

/** What there is for a picture. */
export interface Room {
  widthEmu: number;
  heightEmu: number;
}
