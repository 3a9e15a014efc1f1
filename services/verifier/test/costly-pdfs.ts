import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';

const onePageWith = (content: string, resources: string, more: Buffer[]): Buffer => {
  const bodies = [...onePage('', '', more)];
  bodies[2] = `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<${resources}>>>>`;
  bodies[3] = streamBody('', Buffer.from(content));
  return classicPdf(bodies);
};

/** A pattern of so small steps that it is drawn for minutes. */
export const endlessPdf = (): Buffer => {
  const keys =
    '/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .002/YStep .002/Resources<<>>';
  const pattern = streamBody(keys, Buffer.from('0 0 1 1 re f'));
  return onePageWith('/Pattern cs /P scn 0 0 400 600 re f', '/Pattern<</P 6 0 R>>', [pattern]);
};

/** Each drawing has the next one ten times, and PDFium reads each of them anew. */
export function boundlessPdf(): Buffer {
  const depth = 12;
  const drawings = Array.from({ length: depth }, (_, level) =>
    streamBody(
      `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${level + 7} 0 R>>>>`,
      Buffer.from(level === depth - 1 ? '0 0 9 9 re f' : '/X Do '.repeat(10)),
    ),
  );
  return onePageWith('/X Do', '/XObject<</X 6 0 R>>', drawings);
}
