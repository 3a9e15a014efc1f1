import { hash } from 'node:crypto';
import { SanitizerError } from '../../sanitizer-error.ts';

/** Word's 100,000 rounds take a tenth of it. */
const CPU_MS_MAX = 1_000;
const ROUNDS_BETWEEN_LOOKS = 5_000;

/**
 * Digests a password again and again ([MS-OFFCRYPTO] §2.3.4.7 and §2.3.4.11). Throws SanitizerError:
 * DOCUMENT_TOO_COMPLEX if the rounds need more than a second of processor time.
 */
export function spin(algorithm: string, first: Buffer, rounds: number): Buffer {
  const start = process.threadCpuUsage();
  // In front of each digest, the number of its round.
  const round = Buffer.alloc(4 + first.length);
  let spun = first;
  for (let at = 0; at < rounds; at++) {
    round.writeUInt32LE(at);
    spun.copy(round, 4);
    spun = hash(algorithm, round, 'buffer');
    if (at % ROUNDS_BETWEEN_LOOKS === 0 && cpuMsSince(start) > CPU_MS_MAX)
      throw new SanitizerError(
        'DOCUMENT_TOO_COMPLEX',
        `The password of the document has ${rounds} rounds, which need more than a second of processor time.`,
      );
  }
  return spun;
}

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
