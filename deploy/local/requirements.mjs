import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

function hasCommand(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.some((name) =>
    folders.some((folder) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );
}

/** The folders in which distributions and LibreOffice's own packages install it. */
function officeFolders() {
  const opt = existsSync('/opt') ? readdirSync('/opt').filter((name) => name.startsWith('libreoffice')) : [];
  return ['/usr/lib/libreoffice', '/usr/lib64/libreoffice', ...opt.map((name) => join('/opt', name))];
}

const inOffice = (file) => () => officeFolders().some((folder) => existsSync(join(folder, file)));
const command =
  (...names) =>
  () =>
    hasCommand(...names);
const anyFile =
  (...files) =>
  () =>
    files.some((file) => existsSync(file));

const FONTS = '/usr/share/fonts';
const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'];

/** Debian's names of languages with patterns for hyphenation, and the first words of their files. */
const HYPHENATED = [
  ...[
    'af_ZA',
    'be_BY',
    'bg_BG',
    'ca_ES',
    'cs_CZ',
    'da_DK',
    'de_DE',
    'el_GR',
    'en-gb_GB',
    'en-us_US',
    'es_ES',
    'fr_FR',
  ],
  ...[
    'gl_ES',
    'hr_HR',
    'hu_HU',
    'id_ID',
    'is_IS',
    'it_IT',
    'lt_LT',
    'lv_LV',
    'mn_MN',
    'nl_NL',
    'no_NO',
    'pl_PL',
  ],
  ...[
    'pt-br_BR',
    'pt-pt_PT',
    'ro_RO',
    'ru_RU',
    'sk_SK',
    'sl_SI',
    'sr_RS',
    'sv_SE',
    'th_TH',
    'uk_UA',
    'zu_ZA',
  ],
].map((name) => ({
  language: name.split('_')[0],
  file: `hyph_${name.replace(/-\w+/, '').replace('no_', 'nb_')}.dic`,
}));

/**
 * What the machine must provide, detected by the files that are really used, so that other installations of LibreOffice
 * or Redis count. `office` packages are of one release (see services/converter/libreoffice.mjs); `reader`, `font` and
 * `hyphenation` packages are recommended, but a machine without apt starts without them.
 */
export const requirements = [
  { package: 'libreoffice-writer-nogui', kind: 'office', has: inOffice('program/libswlo.so') },
  { package: 'libreoffice-calc-nogui', kind: 'office', has: inOffice('program/libsclo.so') },
  { package: 'libreoffice-impress-nogui', kind: 'office', has: inOffice('program/libsdlo.so') },
  { package: 'libreoffice-math-nogui', kind: 'office', has: inOffice('program/libsmlo.so') },
  {
    package: 'libreoffice-uiconfig-writer',
    kind: 'office',
    has: inOffice('share/config/soffice.cfg/modules/swriter'),
  },
  {
    package: 'libreofficekit-dev',
    kind: 'office',
    has: anyFile('/usr/include/LibreOfficeKit/LibreOfficeKitInit.h'),
  },
  { package: 'libreoffice-dev', kind: 'office', has: inOffice('sdk/bin/cppumaker') },
  { package: 'g++', kind: 'tool', has: command('g++', 'c++') },
  { package: 'gcc', kind: 'tool', has: command('cc', 'gcc') },
  { package: 'libc6-dev', kind: 'tool', has: anyFile('/usr/include/stdio.h') },
  { package: 'make', kind: 'tool', has: command('make') },
  { package: 'redis-tools', kind: 'tool', has: command('redis-server', 'valkey-server', 'redis-check-rdb') },
  { package: 'poppler-utils', kind: 'tool', has: command('pdftotext') },
  {
    package: 'libpoppler-glib8',
    kind: 'reader',
    has: anyFile(...LIBRARIES.map((folder) => `${folder}/libpoppler-glib.so.8`)),
  },
  { package: 'poppler-data', kind: 'reader', has: anyFile('/usr/share/poppler/cMap') },
  {
    package: 'fonts-crosextra-carlito',
    kind: 'font',
    has: anyFile(`${FONTS}/truetype/crosextra/Carlito-Regular.ttf`),
  },
  {
    package: 'fonts-crosextra-caladea',
    kind: 'font',
    has: anyFile(`${FONTS}/truetype/crosextra/Caladea-Regular.ttf`),
  },
  {
    package: 'fonts-liberation',
    kind: 'font',
    has: anyFile(
      `${FONTS}/truetype/liberation/LiberationSans-Regular.ttf`,
      `${FONTS}/truetype/liberation2/LiberationSans-Regular.ttf`,
    ),
  },
  { package: 'fonts-dejavu-core', kind: 'font', has: anyFile(`${FONTS}/truetype/dejavu/DejaVuSans.ttf`) },
  { package: 'fonts-noto-core', kind: 'font', has: anyFile(`${FONTS}/truetype/noto/NotoSans-Regular.ttf`) },
  { package: 'fonts-noto-cjk', kind: 'font', has: anyFile(`${FONTS}/opentype/noto/NotoSansCJK-Regular.ttc`) },
  ...HYPHENATED.map(({ language, file }) => ({
    package: `hyphen-${language}`,
    kind: 'hyphenation',
    // LibreOffice's own packages have patterns in extensions.
    has: () => anyFile(`/usr/share/hyphen/${file}`)() || inOffice('share/extensions/dict-en')(),
  })),
];

/** Kinds without which documents only look different, or are compared by one reader. */
export const RECOMMENDED = ['reader', 'font', 'hyphenation'];

const java = (...jars) => anyFile(...jars.map((jar) => `/usr/share/java/${jar}.jar`));

/** Needed only by the tests: independent programs that verify signatures, a software key store, a browser. */
export const testRequirements = [
  { package: 'openssl', kind: 'tool', has: command('openssl') },
  { package: 'qpdf', kind: 'tool', has: command('qpdf') },
  { package: 'mupdf-tools', kind: 'tool', has: command('mutool') },
  { package: 'xmlsec1', kind: 'tool', has: command('xmlsec1') },
  { package: 'python3-uno', kind: 'office', has: anyFile('/usr/lib/python3/dist-packages/uno.py') },
  { package: 'default-jdk-headless', kind: 'tool', has: command('javac') },
  { package: 'libpdfbox2-java', kind: 'tool', has: java('pdfbox2') },
  { package: 'libbcpkix-java', kind: 'tool', has: java('bcpkix') },
  { package: 'libactivation-java', kind: 'tool', has: java('javax.activation') },
  { package: 'libjaxb-api-java', kind: 'tool', has: java('jaxb-api') },
  { package: 'softhsm2', kind: 'tool', has: command('softhsm2-util') },
  { package: 'python3', kind: 'tool', has: command('python3') },
  { package: 'chromium', kind: 'tool', has: command('chromium', 'chromium-browser', 'google-chrome') },
];

/** The requirements of macOS: there the second engine runs LibreOffice's own program, one process per document. */
export const macRequirements = [
  { package: '--cask libreoffice', has: anyFile('/Applications/LibreOffice.app') },
  { package: 'redis', has: command('redis-server', 'valkey-server') },
  { package: 'poppler', has: command('pdftotext') },
];
