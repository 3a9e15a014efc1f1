/**
 * The one place that names versions of LibreOffice, and what may be otherwise in another one. Plain JavaScript without
 * dependencies: `npm start` reads it before anything is installed or built.
 *
 * To go to a newer LibreOffice: set `TESTED`, go through `DEPENDS_ON_VERSION`, run the suites of services/converter,
 * e2e/convert and packages/signatures with it, and measure it beside the old one (`npm run bench:convert`).
 */

/** The oldest that is known to work. */
export const OLDEST = '7.4';

/** What the suites run with and what was measured: that of Debian 13, and of the backports of Debian 12. */
export const TESTED = '25.2';

/** Releases of Debian whose backports have the tested one: their own (7.4) takes twice the CPU. */
export const RELEASES_WITH_OLD_OFFICE = ['bookworm'];

/** What was taken from the sources, the registry or the behavior of these versions: files from the root of the checkout. */
export const DEPENDS_ON_VERSION = [
  {
    file: 'services/converter/engine-host/office.c',
    what: 'C++ functions that LibreOfficeKit does not export, by their mangled names; the number of an event; UNO commands',
  },
  {
    file: 'services/converter/engine-host/confined-soffice.c',
    what: 'what the program soffice.bin consists of: a library and its soffice_main',
  },
  { file: 'services/converter/engine-host/landlock.c', what: 'the folders that LibreOffice reads' },
  {
    file: 'services/converter/src/engines/installation.ts',
    what: 'where it is installed, and the libraries that show that it can be opened',
  },
  {
    file: 'services/converter/src/engines/formats.ts',
    what: 'names of import filters and of detected types; suffixes that LibreOfficeKit knows; options of the PDF export',
  },
  {
    file: 'services/converter/src/engines/profile.ts',
    what: 'settings by their registry path; names of document types to remove; variables of the environment',
  },
  {
    file: 'services/converter/src/engines/pdf.ts',
    what: 'that its PDFs have one section with a plain cross-reference table',
  },
  {
    file: 'services/converter/src/engines/libreoffice-convert.ts',
    what: 'what it prints where a document does not load',
  },
  { file: 'shared/src/jobs/target-formats.ts', what: 'names of export filters' },
  { file: 'deploy/local/requirements.mjs', what: 'the packages that it consists of, and a file of each' },
  { file: 'deploy/local/apt.mjs', what: 'which releases of Debian get it from backports' },
  { file: 'deploy/docker/converter.Dockerfile', what: 'the Debian whose LibreOffice the image has' },
  {
    file: 'packages/signatures/src/opc/prepare-docx.ts',
    what: 'which sound signatures of a DOCX it reports as broken; also in signable.ts and reference-digest.ts beside it',
  },
];
