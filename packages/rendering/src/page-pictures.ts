import { changedTiles } from './compare-pages.ts';
import { failureOf, type OpenRevisions } from './open-revisions.ts';
import { encodePng } from './png.ts';
import { outlined, type Region } from './raster.ts';

export const PICTURES_MAX = 20;
/** For all pictures together, as PNG. */
export const PICTURES_BYTES_MAX = 6 * 1024 * 1024;

/** A page of the revision that ends at `end`; `before` is the end of the one whose differences are marked. */
export interface PictureRequest {
  end: number;
  /** From 0. */
  page: number;
  before?: number | undefined;
}

/** A page with frames around the regions that differ, which are in its pixels. */
export interface PagePicture {
  png: Uint8Array;
  width: number;
  height: number;
  differences: Region[];
}

/** In the order of the requests; undefined for those that are beyond a bound, or cannot be rendered. */
export async function picturesOf(
  revisions: OpenRevisions,
  requests: readonly PictureRequest[],
): Promise<(PagePicture | undefined)[]> {
  let rest = PICTURES_BYTES_MAX;
  const pictures: (PagePicture | undefined)[] = [];
  for (const [index, request] of requests.entries()) {
    let picture: PagePicture | undefined;
    if (index < PICTURES_MAX && rest > 0) {
      try {
        picture = await pictureOf(revisions, request);
        rest -= picture.png.length;
      } catch (error) {
        failureOf(error);
      }
    }
    pictures.push(rest >= 0 ? picture : undefined);
  }
  return pictures;
}

async function pictureOf(
  revisions: OpenRevisions,
  { end, page, before }: PictureRequest,
): Promise<PagePicture> {
  const now = await revisions.whole(end, page);
  const differences =
    before === undefined ? [] : changedTiles(await revisions.whole(before, page), now).regions();
  const { width, height } = now;
  return { png: encodePng(outlined(now, differences)), width, height, differences };
}
