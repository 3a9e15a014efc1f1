import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { documentXml, escapeXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { LibreOfficeConvertEngine } from '../../src/engines/libreoffice-convert.ts';
import { fontsOf, textOf } from '../rigs/pdf-text.ts';
import { run } from './engine.suite.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const NAMESPACES = `xmlns:w="${OFFICE}/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIP}"`;

function relationships(entries: string[]): string {
  return `<Relationships xmlns="${OFFICE}/package/2006/relationships">${entries.join('')}</Relationships>`;
}

function relationship(id: string, type: string, target: string, mode = 'Internal'): string {
  return `<Relationship Id="${id}" Type="${RELATIONSHIP}/${type}" Target="${escapeXml(target)}" TargetMode="${mode}"/>`;
}

/** A document of one word in a font of that name; with `font`, the font's file is embedded. */
function wordIn(face: string, font?: Buffer): Buffer {
  const mainXml = documentXml(['Handgloves']).replace(
    '<w:r>',
    `<w:r><w:rPr><w:rFonts w:ascii="${face}" w:hAnsi="${face}"/></w:rPr>`,
  );
  if (font === undefined) return zip(packageEntries({ mainXml }));
  const key = '{00112233-4455-6677-8899-AABBCCDDEEFF}';
  // ECMA-376-4 §9.1.4: the first 32 bytes are obfuscated with the key, read backwards.
  const bytes = Buffer.from(key.replace(/[{}-]/g, ''), 'hex').reverse();
  const obfuscated = Buffer.from(font);
  for (let i = 0; i < 32; i++) obfuscated[i] = (font[i] ?? 0) ^ (bytes[i % 16] ?? 0);
  const table = `<w:fonts ${NAMESPACES}><w:font w:name="${face}"><w:embedRegular r:id="rId1" w:fontKey="${key}"/></w:font></w:fonts>`;
  const settings = `<w:settings ${NAMESPACES}><w:embedTrueTypeFonts/></w:settings>`;
  return zip(
    packageEntries({
      mainXml,
      parts: [
        {
          name: 'word/_rels/document.xml.rels',
          data: relationships([
            relationship('rId1', 'fontTable', 'fontTable.xml'),
            relationship('rId2', 'settings', 'settings.xml'),
          ]),
        },
        { name: 'word/fontTable.xml', data: table },
        { name: 'word/settings.xml', data: settings },
        {
          name: 'word/_rels/fontTable.xml.rels',
          data: relationships([relationship('rId1', 'font', 'fonts/font1.odttf')]),
        },
        { name: 'word/fonts/font1.odttf', data: obfuscated },
      ],
    }).map((entry) =>
      entry.name === '[Content_Types].xml'
        ? { ...entry, data: String(entry.data).replace('<Override', `${FONT_TYPES}<Override`) }
        : entry,
    ),
  );
}

const FONT_TYPES =
  '<Default Extension="odttf" ContentType="application/vnd.openxmlformats-officedocument.obfuscatedFont"/>' +
  '<Override PartName="/word/fontTable.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.fontTable+xml"/>' +
  '<Override PartName="/word/settings.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml"/>';

/** A document that refers to an address in every way that a converter might follow. */
function documentLinkingTo(origin: string): Buffer {
  const drawing = (attribute: string, id: string) =>
    `<w:p><w:r><w:drawing><wp:inline xmlns:wp="${OFFICE}/drawingml/2006/wordprocessingDrawing">` +
    `<wp:extent cx="900000" cy="900000"/><wp:docPr id="${id.slice(3)}" name="${id}"/>` +
    `<a:graphic xmlns:a="${OFFICE}/drawingml/2006/main"><a:graphicData uri="${OFFICE}/drawingml/2006/picture">` +
    `<pic:pic xmlns:pic="${OFFICE}/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr>` +
    `<pic:blipFill><a:blip xmlns:r="${RELATIONSHIP}" r:${attribute}="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>` +
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr>` +
    '</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
  const field = (instruction: string) =>
    `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText> ${escapeXml(instruction)} </w:instrText></w:r>` +
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>stored</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>';
  const body = [
    drawing('link', 'rId1'),
    drawing('embed', 'rId2'),
    field(`INCLUDEPICTURE "${origin}/field.png" \\d`),
    field(`INCLUDETEXT "${origin}/text.docx"`),
    field(`LINK Excel.Sheet.12 "${origin}/sheet.xlsx" "A1" \\a`),
    field(`DDEAUTO soffice "${origin}/dde.odt" topic`),
  ].join('');
  const mainXml = documentXml(['Linked']).replace('<w:sectPr>', `${body}<w:sectPr>`);
  return zip(
    packageEntries({
      mainXml,
      parts: [
        {
          name: 'word/_rels/document.xml.rels',
          data: relationships([
            relationship('rId1', 'image', `${origin}/linked.png`, 'External'),
            relationship('rId2', 'image', `${origin}/embedded.png`, 'External'),
            relationship('rId3', 'attachedTemplate', `${origin}/template.dotm`, 'External'),
            relationship('rId4', 'oleObject', `${origin}/object.docx`, 'External'),
          ]),
        },
      ],
    }),
  );
}

const engines = [
  () => new LibreOfficeKitEngine({ zygotes: 1 }),
  () => new LibreOfficeConvertEngine({ slots: 1 }),
];
for (const make of few(engines, 1)) {
  const engine = make();
  describe(`the ${engine.name} engine`, () => {
    const requests: string[] = [];
    let listener: Server;
    let origin = '';
    beforeAll(async () => {
      await engine.start();
      listener = createServer((request, response) => {
        requests.push(request.url ?? '');
        response.end();
      });
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      await engine.close();
      await new Promise((resolve) => listener.close(resolve));
    });

    test('fetches no image, template, text, sheet or object', async () => {
      await fetch(`${origin}/the-listener-listens`);
      const { bytes } = await run(engine, documentLinkingTo(origin));
      expect(textOf(bytes)).toContain('Linked');
      expect(requests).toEqual(['/the-listener-listens']);
    });

    test('does not show a document the embedded font of another one', async () => {
      const file = execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans Mono:bold'], { encoding: 'utf8' });
      const face = 'Scriptorium Private Face';
      const before = fontsOf((await run(engine, wordIn(face))).bytes);
      const embedded = fontsOf((await run(engine, wordIn(face, readFileSync(file)))).bytes);
      const after = fontsOf((await run(engine, wordIn(face))).bytes);
      expect(embedded).not.toEqual(before);
      expect(after).toEqual(before);
    });
  });
}
