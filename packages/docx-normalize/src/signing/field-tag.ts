/** What a signer fills: a signature, or a text that belongs to one. */
export const FIELD_KINDS = ['sign', 'date', 'name', 'initials', 'text'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** A field of a role. Sizes are in points; without one, the place or the kind decides. */
export interface FieldTag {
  kind: FieldKind;
  role: string;
  width?: number;
  height?: number;
}

const BEGIN = new RegExp(`^\\s*(${FIELD_KINDS.join('|')})\\s?:(?!:)\\s?(.*)$`, 'su');
/** The name of a role: letters, digits, hyphens and underscores. */
export const ROLE = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,27}$/u;
const SIZE = /^(width|height)=["'“”„‘’]?(\d{1,4}(?:\.\d{1,3})?)(mm|pt)["'“”‘’]?$/;
const POINTS_IN_MM = 72 / 25.4;
/** Sides of fields in points, from that of a letter to that of the largest usual paper. */
const SIDE_MIN = 4;
const SIDE_MAX = 2_400;

/** A mistake in a tag. */
export class FieldTagError extends Error {}

/**
 * Reads `sign:ROLE`, `date:ROLE width=40mm height=14pt` and so on, the text of a mark or of the tag of a content control.
 * Returns undefined for other texts. Throws FieldTagError for a text that begins so and has a mistake.
 */
export function readFieldTag(text: string): FieldTag | undefined {
  const [, kind, rest = ''] = BEGIN.exec(text.length > 500 ? text.slice(0, 500) : text) ?? [];
  if (kind === undefined) return undefined;
  const [role = '', ...options] = rest.trim().split(/\s+/);
  // A name of data may begin so, too.
  if (kind !== 'sign' && (!ROLE.test(role) || !options.every((option) => SIZE.test(option))))
    return undefined;
  if (!ROLE.test(role))
    throw new FieldTagError(
      `The role “${role.slice(0, 40)}” must have 1 to 28 letters, digits, hyphens and underscores`,
    );
  const tag: FieldTag = { kind: kind as FieldKind, role };
  for (const option of options) {
    const [, side, number, unit] = SIZE.exec(option) ?? [];
    if (side === undefined)
      throw new FieldTagError(`“${option.slice(0, 40)}” must be a size such as width=60mm or height=40pt`);
    tag[side as 'width' | 'height'] = inPoints(Number(number), unit as 'mm' | 'pt');
  }
  return tag;
}

/** Throws FieldTagError for a side that no field can have. */
export function inPoints(length: number, unit: 'mm' | 'pt'): number {
  const points = unit === 'mm' ? length * POINTS_IN_MM : length;
  if (points < SIDE_MIN || points > SIDE_MAX)
    throw new FieldTagError(`The size ${length}${unit} must be from ${SIDE_MIN}pt to ${SIDE_MAX}pt`);
  return points;
}

/** The tag of a content control: at most 64 characters, as Word requires. */
export function writeFieldTag({ kind, role, width, height }: FieldTag): string {
  const side = (name: string, points: number | undefined) =>
    points === undefined ? '' : ` ${name}=${Math.round(points)}pt`;
  return `${kind}:${role}${side('width', width)}${side('height', height)}`;
}

/** The name of the field in a PDF. */
export const fieldNameOf = ({ kind, role }: FieldTag): string => (kind === 'sign' ? role : `${kind}:${role}`);
