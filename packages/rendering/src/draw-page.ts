import { encodePng } from './png.ts';
import { loadFile } from './rendered-pdf.ts';

/** Draws a page of a PDF, from 0, as PNG with this resolution. Throws RenderingError. */
export async function drawPage(bytes: Uint8Array, index: number, dpi: number): Promise<Buffer> {
  const file = await loadFile(bytes);
  try {
    const pdf = file.open();
    const page = pdf.page(index, dpi);
    try {
      return encodePng(page.render(), dpi);
    } finally {
      page.close();
      pdf.close();
    }
  } finally {
    file.close();
  }
}
