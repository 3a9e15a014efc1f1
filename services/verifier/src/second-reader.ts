import { ConfigError } from '@scriptorium/shared/config';
import { blankPdf } from '@scriptorium/signatures/blank-documents';
import type { VerifierConfig } from './config.ts';
import { compareWithPoppler } from './poppler.ts';
import { PopplerHost, type PopplerHostOptions, tryPoppler } from './poppler-host.ts';

/** The host of Poppler, if there is one, and its walls, or why there is none. */
export interface SecondReaderState {
  host: PopplerHost | undefined;
  why: string;
}

/** Starts Poppler, and has it draw a page. Throws ConfigError if it must run, and cannot. */
export async function startSecondReader(
  { SECOND_READER: demand }: Pick<VerifierConfig, 'SECOND_READER'>,
  options: PopplerHostOptions = {},
): Promise<SecondReaderState> {
  if (demand === 'off') return { host: undefined, why: 'SECOND_READER=off' };
  const host = new PopplerHost(options);
  try {
    const why = await tryPoppler(options.program);
    await host.start();
    await drawPage(host.name);
    return { host, why };
  } catch (error) {
    await host.close();
    const why = error instanceof Error ? error.message : String(error);
    if (demand === 'required') throw new ConfigError([`SECOND_READER: ${why}`]);
    return { host: undefined, why };
  }
}

async function drawPage(name: string): Promise<void> {
  const bytes = blankPdf();
  const page = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: true };
  const comparisons = [{ before: bytes.length, now: bytes.length, pages: [page] }];
  const { compared } = await compareWithPoppler({ bytes, comparisons, pictures: [] }, { name });
  const failure = compared.comparisons[0]?.failure;
  if (failure) throw new Error(failure.message);
}
