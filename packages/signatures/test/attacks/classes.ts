import type { AttackClass } from './attack.ts';
import { evilAnnotation, sneakySignature } from './pdf/annotations.ts';
import { certificationBypass } from './pdf/certifications.ts';
import { drawnByReaders, vectorContent } from './pdf/drawn-over.ts';
import { falseCms, falseTime } from './pdf/false-cms.ts';
import { falseTrust } from './pdf/false-trust.ts';
import { hiddenObjects } from './pdf/hidden-objects.ts';
import { incrementalSaving } from './pdf/incremental-saving.ts';
import { KNOWN_BEFORE } from './pdf/known-before.ts';
import { laterChanges, sharedObjects } from './pdf/later-changes.ts';
import { looksThatLie } from './pdf/looks-that-lie.ts';
import { readersDiffer } from './pdf/readers-differ.ts';
import { replacedSignature } from './pdf/replaced-signatures.ts';
import { hide, hideAndReplace, replace } from './pdf/shadow.ts';
import { signatureWrapping } from './pdf/signature-wrapping.ts';
import { smuggledChanges } from './pdf/smuggled-changes.ts';
import { structure } from './pdf/structure.ts';
import { UNCLAIMED } from './pdf/unclaimed-changes.ts';
import { universalForgery } from './pdf/universal-forgery.ts';

export const ATTACK_CLASSES: readonly AttackClass[] = [
  universalForgery,
  incrementalSaving,
  signatureWrapping,
  hide,
  replace,
  hideAndReplace,
  evilAnnotation,
  sneakySignature,
  replacedSignature,
  certificationBypass,
  laterChanges,
  sharedObjects,
  smuggledChanges,
  ...UNCLAIMED,
  looksThatLie,
  ...KNOWN_BEFORE,
  drawnByReaders,
  vectorContent,
  readersDiffer,
  hiddenObjects,
  structure,
  falseCms,
  falseTime,
  falseTrust,
];
