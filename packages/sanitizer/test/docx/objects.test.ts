import { describe, expect, it } from '@jest/globals';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { prepare } from '../../src/prepare.ts';
import { documentOf, sanitize } from './sanitized.ts';

const PICTURE = { name: 'word/media/1.png', data: png() };
const TYPES = '<Default Extension="png" ContentType="image/png"/>';
const imageData = '<v:imagedata r:id="rId1"/>';
const document = (body: string) =>
  documentOf(`<w:p><w:r>${body}</w:r></w:p>`, [['image', 'media/1.png']], [PICTURE], TYPES);
const seen = async (body: string) => {
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
  const { dropped } = (await prepare(document(body), options)).facts;
  return { warnings: dropped.seenCount, kinds: dropped.items.map(({ what }) => what) };
};

describe('an object', () => {
  it.each([
    ['a control', '<w:control r:id="rId9" w:name="Box"/>', 'form control'],
    ['an OLE object', '<o:OLEObject r:id="rId9"/>', 'OLE object'],
  ])('without a picture is a visible loss: %s', async (_name, object, what) => {
    for (const holder of ['w:object', 'w:pict'])
      expect(await seen(`<${holder}><v:shape/>${object}</${holder}>`)).toEqual({
        warnings: 1,
        kinds: [what],
      });
  });

  it('with a picture is none', async () => {
    const body = `<w:object><v:shape>${imageData}</v:shape><w:control r:id="rId9"/></w:object>`;
    expect(await seen(body)).toEqual({ warnings: 0, kinds: [] });
  });
});

describe('the picture of an object', () => {
  const lineOf = async (before: string, shape: string) => {
    const { body } = await sanitize(
      document(`<w:object>${before}<v:shape ${shape}>${imageData}</v:shape></w:object>`),
    );
    return /<v:shape [^>]*stroked="([^"]*)"/.exec(body)?.[1];
  };

  it('has no line without a definition of its type', async () => {
    expect(await lineOf('', 'type="#_x0000_t75"')).toBe('f');
    expect(await lineOf('', 'id="x"')).toBe('f');
  });

  it('has the line of its definition, or its own', async () => {
    expect(await lineOf('<v:shapetype id="_x0000_t75" stroked="f"/>', 'type="#_x0000_t75"')).toBeUndefined();
    expect(await lineOf('', 'type="#_x0000_t75" stroked="t"')).toBe('t');
  });
});
