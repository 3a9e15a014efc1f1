import { describe, expect, it } from '@jest/globals';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { prepare as prepareAny } from '../../src/prepare.ts';
import { image, rebuilt } from './odt-pieces.ts';
import { prepare } from './sanitizer-under-test.ts';

const formWith = (control: string) =>
  `<office:forms><form:form>${control}</form:form></office:forms><text:p><draw:control draw:control="c" svg:width="5cm" svg:height="1cm"/></text:p>`;
const textOf = (xml = '') => [...xml.matchAll(/<ft:p [^>]*>([^<]*)/g)].map(([, words]) => words).join('|');

describe('a form control of an OpenDocument text', () => {
  it.each([
    [
      '<form:text form:id="c" form:value="default" form:current-value="typed &amp; kept"/>',
      'typed &amp; kept',
    ],
    ['<form:textarea form:id="c" form:current-value="one&#10;two"/>', 'one|two'],
    ['<form:checkbox form:id="c" form:label="Yes" form:current-state="checked"/>', '☑ Yes'],
    ['<form:checkbox form:id="c" form:label="Yes"/>', '☐ Yes'],
    ['<form:radio form:id="c" form:label="A" form:current-selected="true"/>', '◉ A'],
    ['<form:button form:id="c" form:label="Send"/>', 'Send'],
    ['<form:fixed-text form:id="c" form:label="Name:"/>', 'Name:'],
    [
      '<form:listbox form:id="c"><form:option form:label="one"/><form:option form:label="two" form:current-selected="true"/></form:listbox>',
      'two',
    ],
  ])('is replaced by its text: %s', async (control, shown) => {
    const document = odtWith({ text: formWith(control) });
    const content = (await rebuilt(document))['content.xml'];
    expect(textOf(content)).toBe(shown);
    expect(content).not.toContain('draw:control');
    expect(content).toContain('svg:width="5cm"');
    expect((await prepare('odt', document)).dropped).toMatchObject([
      { what: 'form control', leavesGap: false },
    ]);
  });

  it.each(['<form:grid form:id="c"/>', '<form:text form:id="other"/>'])(
    'that shows something else is a loss: %s',
    async (control) => {
      const options = { from: 'odt', revisions: 'markup', updateFields: 'none' } as const;
      const { facts } = await prepareAny(odtWith({ text: formWith(control) }), options);
      expect(facts.dropped.seenCount).toBe(1);
    },
  );
});

describe('an SVG picture of an OpenDocument text', () => {
  const svg = (inner: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">${inner}</svg>`;
  const kept = async (inner: string) => {
    const document = odtWith({
      text: image('Pictures/1.svg'),
      parts: [{ name: 'Pictures/1.svg', data: svg(inner) }],
    });
    const { dropped } = await prepare('odt', document);
    const parts = await rebuilt(document);
    return { dropped, picture: parts['Pictures/1.svg'], manifest: parts['META-INF/manifest.xml'] };
  };

  it('stays a drawing, without its styles and active parts', async () => {
    const { picture, dropped, manifest } = await kept(
      '<style>.a{fill:red}</style><rect class="a" onclick="x()" width="9" height="9"/>',
    );
    expect(picture).toMatch(/^<svg [\s\S]*<path [^>]*fill="#ff0000"/);
    expect(picture).not.toMatch(/style|onclick|class/);
    expect(manifest).toContain('manifest:media-type="image/svg+xml"');
    expect(dropped).toEqual([]);
  });

  it('is drawn if readers could differ on it', async () => {
    const data = `data:image/png;base64,${png().toString('base64')}`;
    const { picture, dropped, manifest } = await kept(`<image href="${data}" width="9" height="9"/>`);
    expect(picture?.slice(1, 4)).toBe('PNG');
    expect(manifest).toContain('manifest:media-type="image/png"');
    expect(dropped).toEqual([]);
  });

  it('is removed if it refers to anything outside', async () => {
    const { picture, dropped } = await kept('<image href="file:///etc/passwd" width="9" height="9"/>');
    expect(picture).toBeUndefined();
    expect(dropped).toMatchObject([{ what: 'SVG image', detail: 'it refers to another file' }]);
  });
});
