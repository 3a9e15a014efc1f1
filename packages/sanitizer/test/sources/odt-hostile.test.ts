import { describe, expect, test } from '@jest/globals';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { odfXml, odtWith } from '@scriptorium/testing/fixtures/odt';
import { CHART, chart, frame, image, rebuilt, SVG } from './odt-pieces.ts';
import { prepare } from './sanitizer-under-test.ts';

describe('the OpenDocument sanitizer removes', () => {
  test.each([
    ['an external picture', image('http://evil/x.png'), 'external link'],
    ['a picture from the host', image('file:///etc/evil'), 'external link'],
    ['a picture outside the package', image('../evil.png'), 'external link'],
    ['a picture with an absolute path', image('/etc/evil.png'), 'external link'],
    ['a picture with a package address of the engine', image('vnd.sun.star.Package:evil'), 'external link'],
    ['a picture with an address to expand', image('vnd.sun.star.expand:$HOME/evil'), 'external link'],
    [
      'a linked section',
      '<text:section><text:section-source xlink:href="file:///evil"/><text:p>x</text:p></text:section>',
      'external link',
    ],
    [
      'a DDE section',
      '<text:section><office:dde-source office:dde-application="evil"/><text:p>x</text:p></text:section>',
      'external link',
    ],
    [
      'a DDE field',
      '<text:p><text:dde-connection text:connection-name="evil">x</text:dde-connection></text:p>',
      undefined,
    ],
    [
      'DDE declarations',
      '<text:dde-connection-decls><text:dde-connection-decl office:dde-application="evil"/></text:dde-connection-decls>',
      'external link',
    ],
    ['an OLE object', frame('<draw:object-ole xlink:href="./evil"/>'), 'OLE object'],
    ['a linked object', frame('<draw:object xlink:href="http://evil/x.odt"/>'), 'external link'],
    [
      'an embedded document',
      frame('<draw:object><office:document><office:body>evil</office:body></office:document></draw:object>'),
      'OLE object',
    ],
    ['a plug-in', frame('<draw:plugin xlink:href="http://evil/"/>'), 'active content'],
    ['an applet', frame('<draw:applet xlink:href="http://evil/"/>'), 'active content'],
    ['a floating frame', frame('<draw:floating-frame xlink:href="http://evil/"/>'), 'active content'],
    ['a script', '<text:p><text:script script:language="evil">evil()</text:script></text:p>', 'macro'],
    [
      'an event',
      '<text:p><office:event-listeners><script:event-listener script:event-name="dom:load" xlink:href="vnd.sun.star.script:evil"/></office:event-listeners></text:p>',
      'macro',
    ],
    [
      'a macro field',
      '<text:p><text:execute-macro text:name="m"><office:event-listeners><script:event-listener xlink:href="evil"/></office:event-listeners>x</text:execute-macro></text:p>',
      'macro',
    ],
    [
      'a unsafe link',
      '<text:p><text:a xlink:href="vnd.sun.star.script:evil">x</text:a></text:p>',
      'unsafe link',
    ],
    [
      'a hidden unsafe link',
      '<text:p><text:a xlink:href=" java&#9;script:evil">x</text:a></text:p>',
      'unsafe link',
    ],
    [
      'a database field',
      '<text:p><text:database-display text:table-name="evil">x</text:database-display></text:p>',
      'data source',
    ],
    [
      'a form’s address',
      '<office:forms><form:form xlink:href="http://evil/"/></office:forms>',
      'form action',
    ],
    ['a form’s database', '<office:forms><form:form form:datasource="evil"/></office:forms>', 'data source'],
    [
      'a form’s connection',
      '<office:forms><form:form><form:connection-resource xlink:href="evil"/></form:form></office:forms>',
      'data source',
    ],
    [
      'a form’s model',
      '<office:forms><xforms:model><xforms:instance src="http://evil/"/></xforms:model></office:forms>',
      'data source',
    ],
    [
      'a button’s picture',
      '<office:forms><form:form><form:button form:image-data="http://evil/"/></form:form></office:forms>',
      'external link',
    ],
    [
      'a control’s property',
      '<office:forms><form:form><form:properties><form:property form:property-name="ImageURL" office:string-value="http://evil/"/></form:properties></form:form></office:forms>',
      'data source',
    ],
    [
      'an SVG picture in the XML',
      frame(
        `<draw:image><office:binary-data>${Buffer.from(SVG).toString('base64')}</office:binary-data></draw:image>`,
      ),
      'SVG image',
    ],
    [
      'a base address',
      '<text:section xml:base="http://evil/"><text:p>x</text:p></text:section>',
      'external link',
    ],
    [
      'an address on an element that has none',
      '<text:p xlink:href="http://evil/">x</text:p>',
      'external link',
    ],
    [
      'an old namespace',
      '<o:p xmlns:o="http://openoffice.org/2000/drawing" xmlns:l="http://www.w3.org/1999/xlink"><o:plugin l:href="http://evil/"/></o:p>',
      'active content',
    ],
    [
      'a later namespace',
      '<o:p xmlns:o="urn:oasis:names:tc:opendocument:xmlns:drawing:1.4"><o:object-ole xlink:href="evil"/></o:p>',
      'OLE object',
    ],
  ])('%s', async (_name, hostile, what) => {
    const document = odtWith({ text: `<text:p>first</text:p>${hostile}<text:p>last</text:p>` });
    const { dropped } = await prepare('odt', document);
    expect([...new Set(dropped.map((it) => it.what))]).toEqual(what === undefined ? [] : [what]);
    const content = (await rebuilt(document))['content.xml'];
    expect(content).not.toMatch(/evil/i);
    expect(content).toMatch(/first.*last/s);
    if (hostile.includes('>x<')) expect(content).toContain('x<');
    if (hostile.includes('draw:frame')) expect(content).toMatch(/before.*after/);
  });

  test.each([
    ['a picture fill', '<draw:fill-image draw:name="f" xlink:href="http://evil/"/>'],
    [
      'a page background',
      '<style:page-layout><style:background-image xlink:href="http://evil/"/></style:page-layout>',
    ],
    [
      'a bullet',
      '<text:list-style><text:list-level-style-image text:level="1" xlink:href="http://evil/"/></text:list-style>',
    ],
    [
      'a font',
      '<style:font-face><svg:font-face-src><svg:font-face-uri xlink:href="http://evil/"/></svg:font-face-src></style:font-face>',
    ],
  ])('%s with an external address from the styles', async (_name, style) => {
    const parts = [{ name: 'styles.xml', data: odfXml('styles', `<office:styles>${style}</office:styles>`) }];
    const { dropped } = await prepare('odt', odtWith({ parts }));
    expect(dropped).toEqual([{ what: 'external link', part: 'styles.xml', detail: 'http://evil/' }]);
    expect((await rebuilt(odtWith({ parts })))['styles.xml']).not.toContain('evil');
  });

  test('a remote template, an address to reload and settings that name databases or printers', async () => {
    const parts = [
      {
        name: 'meta.xml',
        data: odfXml(
          'meta',
          '<office:meta><meta:template xlink:href="http://evil/a.ott"/><meta:auto-reload xlink:href="http://evil/"/></office:meta>',
        ),
      },
      {
        name: 'settings.xml',
        data: odfXml(
          'settings',
          '<office:settings><config:config-item config:name="CurrentDatabaseDataSource" config:type="string">evil</config:config-item>' +
            '<config:config-item config:name="PrinterSetup">evil</config:config-item><config:config-item config:name="AddFrameOffsets">true</config:config-item></office:settings>',
        ),
      },
    ];
    const { dropped } = await prepare('odt', odtWith({ parts }));
    expect(dropped.map(({ what, detail }) => [what, detail])).toEqual([
      ['remote template', 'http://evil/a.ott'],
      ['external link', 'http://evil/'],
    ]);
    const kept = await rebuilt(odtWith({ parts }));
    expect(`${kept['meta.xml']}${kept['settings.xml']}`).not.toContain('evil');
    expect(kept['settings.xml']).toContain('AddFrameOffsets');
  });

  test.each([
    ['macros', { name: 'Basic/Standard/evil.xml', data: '<evil/>' }, 'macro'],
    ['scripts', { name: 'Scripts/python/evil.py', data: 'evil' }, 'macro'],
    ['dialogues', { name: 'Dialogs/evil.xml', data: '<evil/>' }, 'macro'],
    ['an SVG picture', { name: 'Pictures/evil.svg', data: SVG }, 'SVG image'],
    ['an SVG picture under another name', { name: 'Pictures/evil.png', data: SVG }, 'SVG image'],
    ['a picture in an unknown format', { name: 'Pictures/evil.png', data: 'evil' }, 'image'],
    ['a part of an unknown type', { name: 'evil.bin', data: 'evil' }, 'unknown part'],
  ])('%s', async (_name, part, what) => {
    const document = odtWith({ text: image(part.name), parts: [part] });
    expect((await prepare('odt', document)).dropped).toMatchObject([{ what, part: part.name }]);
    const kept = await rebuilt(document);
    expect(JSON.stringify(kept)).not.toContain('evil');
  });

  test.each([
    ['a spreadsheet', chart('<office:spreadsheet/>')],
    ['a text', chart('<office:text/>')],
    ['an object inside an object', { ...CHART, name: 'Object 1/Object 2/content.xml' }],
  ])('%s that is embedded, but not its picture', async (_name, object) => {
    const text = frame(
      '<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>',
    );
    const replacement = { name: 'ObjectReplacements/Object 1', data: png() };
    const document = odtWith({ text, parts: [object, replacement] });
    expect((await prepare('odt', document)).dropped.map(({ what }) => what)).toEqual(['OLE object']);
    const kept = await rebuilt(document);
    expect(kept['content.xml']).not.toContain('draw:object');
    expect(kept['content.xml']).toContain('<draw:image xlink:href="./ObjectReplacements/Object 1"/>');
    expect(Object.keys(kept)).not.toContain(object.name);
  });

  test('a script from the XML of a chart', async () => {
    const parts = [chart('<office:chart><chart:chart xlink:href="http://evil/"/></office:chart>')];
    const kept = await rebuilt(odtWith({ text: frame('<draw:object xlink:href="./Object 1"/>'), parts }));
    expect(kept['Object 1/content.xml']).toContain('<chart:chart ');
    expect(kept['Object 1/content.xml']).not.toContain('evil');
  });
});
