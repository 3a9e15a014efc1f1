import { describe, expect, test } from '@jest/globals';
import { documentOf, paragraph } from '@scriptorium/testing/fixtures/hostile/document';
import { partsOf, prepare } from './sanitizer-under-test.ts';

const BODY = paragraph('Dear reader') + paragraph('the same on each page');
const KINDS = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  docm: 'application/vnd.ms-word.document.macroEnabled.main+xml',
  dotx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml',
  dotm: 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
} as const;
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

/** A document of this kind, with macros if its kind may have them. */
function documentOfKind(kind: Kind): Buffer {
  const hasMacros = kind.endsWith('m');
  return documentOf({ body: BODY, mainType: KINDS[kind], ...(hasMacros ? MACROS : {}) });
}

const MACROS = {
  links: [
    {
      id: 'rIdV',
      kind: 'http://schemas.microsoft.com/office/2006/relationships/vbaProject',
      target: 'vbaProject.bin',
    },
  ],
  parts: [
    {
      name: 'word/vbaProject.bin',
      data: Buffer.from('Sub AutoOpen'),
      type: 'application/vnd.ms-office.vbaProject',
    },
  ],
};

describe('a Word document', () => {
  test.each(ALL)('of the kind %s reaches the engine as the same DOCX, without its macros', async (kind) => {
    const [plain, made] = [
      await prepare('docx', documentOfKind('docx')),
      await prepare(kind, documentOfKind(kind)),
    ];
    expect(made.engineSource).toBe('docx');
    expect(await partsOf(made.bytes)).toEqual(await partsOf(plain.bytes));
    const macros = [{ what: 'macro', part: 'word/document.xml', detail: 'vbaProject.bin' }];
    expect(made.dropped).toEqual(kind.endsWith('m') ? macros : []);
  });

  test.each(ALL)('of the kind %s is accepted under the name of each other kind', async (kind) => {
    for (const name of ALL) {
      const { bytes, dropped } = await prepare(name, documentOfKind(kind));
      expect((await partsOf(bytes))['[Content_Types].xml']).toContain(KINDS.docx);
      expect(dropped.length).toBe(kind.endsWith('m') ? 1 : 0);
    }
  });
});
