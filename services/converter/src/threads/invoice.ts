import { Budget } from '@scriptorium/ooxml/bounds';
import { decodeXml, scanXml, XmlError } from '@scriptorium/ooxml/xml';
import { FinishError, type InvoiceProperties } from '@scriptorium/pdf/finish';
import type { Relationship } from '@scriptorium/pdf/finish-options';

/** The names that Factur-X 1.08 and ZUGFeRD 2.3 give to an invoice in a PDF. */
const INVOICE_NAMES = ['factur-x.xml', 'xrechnung.xml'];

/** Whether an attachment of this name must be an invoice. */
export const isInvoiceName = (name: string): boolean => INVOICE_NAMES.includes(name.toLowerCase());

const NAMESPACE = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';
const PARTS = 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100';
const ROOT = `{${NAMESPACE}}CrossIndustryInvoice`;
const GUIDELINE = `{${PARTS}}GuidelineSpecifiedDocumentContextParameter`;
const ID = `{${PARTS}}ID`;

interface Profile {
  guideline: RegExp;
  level: string;
  /** Profiles without all data of an invoice are not an alternative to the pages. */
  isData?: boolean;
}

/**
 * Factur-X 1.08, with the identifiers of ZUGFeRD 2.0, the extension for France, and the extensions of XRechnung. The group is
 * the version of XRechnung.
 */
const PROFILES: readonly Profile[] = [
  { guideline: /^urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):minimum$/, level: 'MINIMUM', isData: true },
  { guideline: /^urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):basicwl$/, level: 'BASIC WL', isData: true },
  {
    guideline: /^urn:cen\.eu:en16931:2017#compliant#urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):basic$/,
    level: 'BASIC',
  },
  { guideline: /^urn:cen\.eu:en16931:2017$/, level: 'EN 16931' },
  {
    guideline: /^urn:cen\.eu:en16931:2017#conformant#urn:(?:factur-x\.eu:1p0|zugferd\.de:2p0):extended$/,
    level: 'EXTENDED',
  },
  {
    guideline: /^urn:cen\.eu:en16931:2017#conformant#urn\.cpro\.gouv\.fr:1p0:extended-ctc-fr$/,
    level: 'EXTENDED',
  },
  {
    guideline:
      /^urn:cen\.eu:en16931:2017#compliant#urn:(?:xoev-de|xeinkauf\.de):kosit:(?:standard:)?xrechnung_(\d+\.\d+)(?:#(?:compliant|conformant)#urn:(?:xoev-de|xeinkauf\.de):kosit:(?:extension:xrechnung|xrechnung:cvd)_\d+\.\d+)?$/,
    level: 'XRECHNUNG',
  },
];

/** An attachment that is an invoice, with its place in the request. */
interface InvoiceFile {
  name: string;
  bytes: Uint8Array;
  relationship?: Relationship | undefined;
  /** The profile that it must have. */
  level?: string | undefined;
  field: string;
}

/** Reads the profile of a Factur-X invoice. Throws FinishError if it is none, or does not relate so to its document. */
export function readInvoice({ name, bytes, relationship, level, field }: InvoiceFile): {
  properties: InvoiceProperties;
  relationship: Relationship;
} {
  const refuse = (issue: string) => new FinishError(field, issue);
  const { root, guideline } = guidelineOf(bytes, refuse);
  if (root !== ROOT) throw refuse('is not an invoice of Factur-X: its root is not a CrossIndustryInvoice');
  const profile = PROFILES.find((one) => one.guideline.test(guideline));
  if (!profile) throw refuse('is not an invoice of Factur-X: it names no known profile');
  if (level !== undefined && level !== profile.level)
    throw new FinishError(`${field}.level`, `must be the profile in the XML: \`${profile.level}\``);
  if (profile.isData && relationship !== undefined && relationship !== 'Data')
    throw new FinishError(`${field}.relationship`, `must be \`Data\` for the profile ${profile.level}`);
  const version = profile.guideline.exec(guideline)?.[1] ?? '1.0';
  return {
    properties: { fileName: name.toLowerCase(), level: profile.level, version },
    relationship: relationship ?? (profile.isData ? 'Data' : 'Alternative'),
  };
}

function guidelineOf(
  bytes: Uint8Array,
  refuse: (issue: string) => FinishError,
): { root: string; guideline: string } {
  const found = { root: '', guideline: '' };
  let inGuideline = false;
  const visitor = {
    '*': {
      open: ({ name, depth }: { name: string; depth: number }) => {
        if (depth === 0) found.root = name;
      },
    },
    [GUIDELINE]: {
      open: () => {
        inGuideline = true;
      },
      close: () => {
        inGuideline = false;
      },
    },
    [ID]: {
      text: (text: string) => {
        if (inGuideline && found.guideline.length < 200) found.guideline += text.trim();
      },
    },
  };
  try {
    scanXml(decodeXml(bytes).xml, [visitor], { budget: new Budget(), part: 'the invoice' });
  } catch (error) {
    if (error instanceof XmlError) throw refuse(`is not well-formed XML: it has ${error.message}`);
    throw error;
  }
  return found;
}
