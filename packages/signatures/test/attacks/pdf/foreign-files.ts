import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, packedPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { signedByLibreOffice } from '@scriptorium/testing/producers/libreoffice';
import { filledByPdfbox, signedByPdfbox } from '@scriptorium/testing/producers/pdfbox';
import { signedBySignpdf } from '@scriptorium/testing/producers/signpdf';
import type { GoodFile } from '../attack.ts';
import { lookedPdf } from './documents.ts';

/** Fields that the page lists in an indirect array, as most programs write it. */
const sharedAnnotations = (): Buffer => {
  const bodies = [...formBodies()];
  bodies[2] = String(bodies[2]).replace('/Annots[6 0 R 7 0 R]', '/Annots 8 0 R');
  return classicPdf([...bodies, '[6 0 R 7 0 R]']);
};

/** Legitimate files made with other programs. */
export const FOREIGN_FILES: readonly GoodFile[] = [
  {
    name: 'a file signed by PDFBox',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => signedByPdfbox(plainPdf(), lab.ada),
  },
  {
    name: 'a file with a cross-reference stream signed by PDFBox',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => signedByPdfbox(packedPdf(), lab.bob),
  },
  {
    name: 'a file signed by PDFBox twice',
    signatures: 2,
    documentModified: 'permitted',
    modifications: ['SIGNATURE_ADDED'],
    make: async (lab) => signedByPdfbox(await signedByPdfbox(plainPdf(), lab.ada), lab.bob),
  },
  {
    name: 'a file certified at 1 by PDFBox',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => signedByPdfbox(plainPdf(), lab.ada, 1),
  },
  {
    name: 'a file certified at 2 by PDFBox, and filled in by it',
    signatures: 1,
    documentModified: 'permitted',
    modifications: ['FIELD_VALUE'],
    make: async (lab) => filledByPdfbox(await signedByPdfbox(lookedPdf(), lab.bob, 2), 'Name', 'Bob'),
  },
  {
    name: 'a file certified at 2 by us, and filled in by PDFBox',
    signatures: 1,
    documentModified: 'permitted',
    modifications: ['FIELD_VALUE'],
    make: async (lab) =>
      filledByPdfbox(await lab.sign(lookedPdf(), { certify: 'formFilling' }), 'Name', 'Bob'),
  },
  {
    name: 'a file signed by PDFBox, then by us',
    signatures: 2,
    documentModified: 'permitted',
    modifications: ['SIGNATURE_ADDED'],
    make: async (lab) => lab.sign(await signedByPdfbox(plainPdf(), lab.bob)),
  },
  {
    name: 'a file signed by us, then by PDFBox',
    signatures: 2,
    documentModified: 'permitted',
    modifications: ['SIGNATURE_ADDED'],
    make: async (lab) => signedByPdfbox(await lab.sign(sharedAnnotations()), lab.bob),
  },
  {
    name: 'a file signed by signpdf and node-forge',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => signedBySignpdf(plainPdf(), lab.carol),
  },
  {
    name: 'a file signed by signpdf and node-forge, then by us',
    signatures: 2,
    documentModified: 'permitted',
    modifications: ['SIGNATURE_ADDED'],
    make: async (lab) => lab.sign(await signedBySignpdf(plainPdf(), lab.carol)),
  },
  {
    name: 'a file exported and signed by LibreOffice',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => signedByLibreOffice(docxWith(['Agreement']), lab.carol),
  },
  {
    name: 'a file exported and signed by LibreOffice, then signed by us',
    signatures: 2,
    documentModified: 'permitted',
    modifications: ['SIGNATURE_ADDED'],
    make: async (lab) => lab.sign(await signedByLibreOffice(docxWith(['Agreement']), lab.carol)),
  },
];
