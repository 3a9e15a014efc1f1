/**
 * The only place that names LibreOffice versions, and what may differ in another version. Plain JavaScript without
 * dependencies: `npm start` reads it before anything is installed or built.
 *
 * To move to a newer LibreOffice, set `TESTED`, and go through `DEPENDS_ON_VERSION`. Run the suites of services/converter,
 * e2e/documents and packages/signatures with it, and compare it with the old one (`npm run bench:convert`).
 */

/** The oldest version that is known to work. */
export const OLDEST = '7.4';

/** The version that the suites and the measurements use: that of Debian 13, and of the backports of Debian 12. */
export const TESTED = '25.2';

/** Releases of Debian whose backports have the tested version: their own (7.4) takes twice the CPU time. */
export const RELEASES_WITH_OLD_OFFICE = ['bookworm'];

/**
 * What depends on the sources, the registry or the behavior of these versions. Paths are relative to the repository
 * root.
 */
export const DEPENDS_ON_VERSION = [
  {
    file: 'services/converter/engine-host/office.c',
    what: 'mangled names of C++ functions that LibreOfficeKit does not export; UNO commands',
  },
  {
    file: 'services/converter/engine-host/confined-soffice.c',
    what: 'the library and the function that make up soffice.bin (soffice_main)',
  },
  {
    file: 'services/converter/engine-host/writer.cpp',
    what: 'the mangled names of getProcessComponentContext and LibreOfficeKit::setActive; fonts that LibreOfficeKit does not report as missing',
  },
  {
    file: 'services/converter/engine-host/long-tables.cpp',
    what: 'that the view of a screen lays out no pages behind those it is asked for',
  },
  {
    file: 'services/converter/engine-host/form.cpp',
    what: 'what a text inherits that is inserted into another; how far a layout depends on earlier texts; that a hidden document outlives its view; names of fields',
  },
  {
    file: 'packages/docx-normalize/src/lists/number-formats.ts',
    what: 'the number formats of lists that it writes differently from Word, and from which number on',
  },
  {
    file: 'packages/sanitizer/src/sources/frozen-fields.ts',
    what: 'the fields that it does not update as Word does',
  },
  {
    file: 'services/converter/engine-host/kit-loader.c',
    what: 'the number of the event about missing fonts',
  },
  { file: 'services/converter/engine-host/confine.c', what: 'the folders that LibreOffice reads' },
  {
    file: 'services/converter/src/engines/form.ts',
    what: 'the texts and forms whose layout does not depend on earlier texts',
  },
  {
    file: 'services/converter/src/engines/installation.ts',
    what: 'its installation folders, and the libraries that show that it can be opened',
  },
  {
    file: 'services/converter/src/engines/formats.ts',
    what: 'names of import filters and of detected types; names of export filters by program; suffixes that LibreOfficeKit knows; options of the PDF export',
  },
  {
    file: 'services/converter/src/engines/profile.ts',
    what: 'settings by their registry path; names of document types to remove; environment variables',
  },
  {
    file: 'services/converter/src/engines/font-config.ts',
    what: 'it asks fontconfig for a font before its own tables, except for Cambria (profile.ts); it knows the signs of OpenSymbol for other symbol fonts',
  },
  {
    file: 'services/converter/src/engines/pdf.ts',
    what: 'its PDFs have one section with a plain cross-reference table',
  },
  {
    file: 'services/converter/src/engines/libreoffice-convert.ts',
    what: 'what it prints if a document does not load',
  },
  { file: 'packages/contracts/src/jobs/target-formats.ts', what: 'names of export filters' },
  { file: 'docs/operations/engine.md', what: 'the tested package, and its known holes' },
  { file: 'deploy/local/requirements.mjs', what: 'its packages, and a file of each' },
  { file: 'deploy/local/apt.mjs', what: 'the releases of Debian that get it from backports' },
  { file: 'deploy/docker/Dockerfile', what: 'the Debian release whose LibreOffice the image has' },
  {
    file: 'packages/signatures/src/opc/prepare-docx.ts',
    what: 'the valid DOCX signatures that it reports as broken; also in signable.ts and reference-digest.ts beside it',
  },
];
