/** The reason why an image is refused. The message continues “it”: `is truncated`. */
export class ImageRefusal extends Error {}

export function truncated(): ImageRefusal {
  return new ImageRefusal('is truncated');
}

export function damaged(format: string): ImageRefusal {
  return new ImageRefusal(`is a damaged ${format} image`);
}

/** In pixels. */
export interface PixelSize {
  width: number;
  height: number;
}
