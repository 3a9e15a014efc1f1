/** Why bytes are not taken as an image. The message goes on from “it”: `is cut short`. */
export class ImageRefusal extends Error {}

export function truncated(): ImageRefusal {
  return new ImageRefusal('is cut short');
}

export function damaged(format: string): ImageRefusal {
  return new ImageRefusal(`is a damaged ${format} image`);
}

/** In pixels. */
export interface PixelSize {
  width: number;
  height: number;
}
