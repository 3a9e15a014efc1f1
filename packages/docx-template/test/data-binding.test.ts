import { describe, expect, test } from '@jest/globals';
import { relationshipsXml } from '@scriptorium/testing/fixtures/hostile/document';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { fill, text } from './filling.ts';

const STORE = '{0F0E0D0C-0000-4000-8000-000000000001}';
const CUSTOM = 'http://schemas.openxmlformats.org/officeDocument/2006/customXml';
const MAPPINGS = `w:prefixMappings="xmlns:d='urn:data'"`;

function bound(xpath: string, store = STORE, element = 'w:dataBinding'): string {
  return `<${element} ${MAPPINGS} w:xpath="${xpath}" w:storeItemID="${store}"/>`;
}

const DATA =
  '<?xml version="1.0"?>\n<order xmlns="urn:data" kind="old"><name>old</name><name>second</name><empty/><deep><x/></deep></order>';

/** A template with this data, and one control for each of the bindings. */
function templateWith(...bindings: string[]): Buffer {
  return templateOf(
    bindings.map((properties, i) => p(sdt({ id: i + 1, tag: `x${i}`, properties }, run('shown')))).join(''),
    {
      links: [{ id: 'rIdData', kind: 'customXml', target: '../customXml/item1.xml' }],
      packageLinks: [
        {
          id: 'rIdCore',
          kind: 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties',
          target: 'docProps/core.xml',
        },
      ],
      parts: [
        { name: 'customXml/item1.xml', data: DATA },
        {
          name: 'customXml/_rels/item1.xml.rels',
          data: relationshipsXml([{ id: 'rId1', kind: 'customXmlProps', target: 'itemProps1.xml' }]),
        },
        {
          name: 'customXml/itemProps1.xml',
          data: `<ds:datastoreItem ds:itemID="${STORE.toLowerCase()}" xmlns:ds="${CUSTOM}"/>`,
          type: 'application/vnd.openxmlformats-officedocument.customXmlProperties+xml',
        },
        {
          name: 'docProps/core.xml',
          data: '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc"><dc:title>old</dc:title></cp:coreProperties>',
          type: 'application/vnd.openxmlformats-package.core-properties+xml',
        },
      ],
    },
  );
}

describe('bound data', () => {
  test.each([
    ['an element', '/d:order[1]/d:name[1]', DATA.replace('>old<', '>A &amp; B<')],
    ['one of several elements', '/d:order/d:name[2]', DATA.replace('>second<', '>A &amp; B<')],
    ['an attribute', '/d:order[1]/@kind', DATA.replace('"old"', '"A &amp; B"')],
    ['an empty element', '/d:order[1]/d:empty[1]', DATA.replace('<empty/>', '<empty>A &amp; B</empty>')],
  ])('is updated in %s and nowhere else', async (_, xpath, expected) => {
    const { xml } = await fill(templateWith(bound(xpath)), [text({ id: 'x0' }, 'A & B')]);
    expect(xml('customXml/item1.xml')).toBe(expected);
    expect(xml()).toContain('dataBinding');
    expect(xml()).toContain('>A &amp; B</w:t>');
  });

  test('is updated in the document properties too', async () => {
    const mapping = `w:prefixMappings="xmlns:cp='urn:cp' xmlns:dc='urn:dc'"`;
    const title = `<w:dataBinding ${mapping} w:xpath="/cp:coreProperties[1]/dc:title[1]" w:storeItemID="{6c3c8bc8-f283-45ae-878a-bab7291924a1}"/>`;
    const { xml } = await fill(templateWith(title), [text({ id: 'x0' }, 'New title')]);
    expect(xml('docProps/core.xml')).toContain('<dc:title>New title</dc:title>');
  });

  test.each([
    ['leads nowhere', bound('/d:order[1]/d:nothing[1]')],
    ['leads to elements', bound('/d:order[1]/d:deep[1]')],
    ['is not a plain path', bound('//d:name')],
    ['has an unknown prefix', bound('/e:order[1]/e:name[1]')],
    ['refers to missing data', bound('/d:order[1]/d:name[1]', '{00000000-0000-0000-0000-000000000000}')],
  ])('loses a binding that %s', async (_, binding) => {
    const { xml } = await fill(templateWith(binding), [text({ id: 'x0' }, 'new')]);
    expect(xml()).not.toContain('dataBinding');
    expect(xml()).toContain('>new</w:t>');
    expect(xml('customXml/item1.xml')).toBe(DATA);
  });

  test('appears in every control bound to it', async () => {
    const path = '/d:order[1]/d:name[1]';
    const { xml, report } = await fill(templateWith(bound(path), bound(path)), [text({ id: 'x0' }, 'new')]);
    expect(report.filled).toBe(2);
    expect(xml()).not.toContain('shown');
  });

  test('stores only one of two texts, and the other control loses its binding', async () => {
    const path = '/d:order[1]/d:name[1]';
    const fields = [text({ id: 'x0' }, 'first'), text({ id: 'x1' }, 'second')];
    const { xml } = await fill(templateWith(bound(path), bound(path)), fields);
    expect(xml().match(/dataBinding/g)).toHaveLength(1);
    expect(xml()).toMatch(/first.*second/);
    expect(xml('customXml/item1.xml')).toContain('>first<');
  });

  test('stores the value of a list, the day of a date, and the state of a checkbox', async () => {
    const list = '<w:dropDownList><w:listItem w:displayText="France" w:value="FR"/></w:dropDownList>';
    const date = '<w:date><w:dateFormat w:val="d.M.yyyy"/><w:storeMappedDataAs w:val="date"/></w:date>';
    const source = templateWith(
      bound('/d:order[1]/d:name[1]') + list,
      bound('/d:order[1]/d:name[2]') + date,
      `${bound('/d:order[1]/d:empty[1]')}<w14:checkbox/>`,
    );
    const fields = ['France', '2026-03-05', 'yes'].map((value, i) => text({ id: `x${i}` }, value));
    const { xml } = await fill(source, fields);
    expect(xml('customXml/item1.xml')).toMatch(/>FR<.*>2026-03-05<.*>true</);
    expect(xml()).toContain('>5.3.2026</w:t>');
  });
});
