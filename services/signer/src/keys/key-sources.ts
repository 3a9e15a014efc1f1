import type { KeySource } from './key-source.ts';
import { p12Source } from './sources/p12.ts';
import { pemSource } from './sources/pem.ts';
import { pkcs11Source } from './sources/pkcs11.ts';
import { remoteSource } from './sources/remote.ts';

/** The sources that profiles may use. */
export const KEY_SOURCES: readonly KeySource[] = [p12Source, pemSource, pkcs11Source, remoteSource];
