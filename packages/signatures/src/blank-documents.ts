import { minimalDocx } from '@scriptorium/ooxml/package';

/** Returns a PDF with one empty page. */
export function blankPdf(): Buffer {
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>';
  return pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>', page]);
}

/** Returns a PDF of these objects, numbered from 1; the first is its catalog. ASCII only. */
export function pdfOf(bodies: readonly string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<</Size ${bodies.length + 1}/Root 1 0 R${trailer}>>`;
  return Buffer.from(`${text}${table}${end}\nstartxref\n${text.length}\n%%EOF\n`);
}

/** Returns a DOCX with one empty paragraph. */
export const blankDocx = (): Buffer => minimalDocx('<w:p/>');
