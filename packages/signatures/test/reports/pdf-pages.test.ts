import { expect, test } from '@jest/globals';
import type { ReportModel } from '../../src/reports/model.ts';
import { reportPages } from '../../src/reports/pdf-pages.ts';

const A4 = { width: 595, height: 842 };
const LIMITS = ['first limit', 'second limit', 'third limit'];

test.each(Array.from({ length: 60 }, (_, facts) => facts))(
  'no line of a list stands alone on a page behind %d facts',
  (count) => {
    const model = {
      title: 'Report',
      verdict: { tone: 'good', headline: 'Valid', text: 'As it was signed.' },
      answers: [],
      document: Array.from({ length: count }, (_, at) => ({ label: `Fact ${at}`, value: 'value' })),
      signatures: [],
      limits: LIMITS,
    } as unknown as ReportModel;
    const pages = reportPages(model, [], A4, (text, { size }) => (text.length * size) / 2);
    const texts = pages.map((page) =>
      page.texts.map(({ text }) => text).filter((text) => LIMITS.includes(text)),
    );
    expect(texts.filter((found) => found.length > 0)).toEqual([LIMITS]);
  },
);
