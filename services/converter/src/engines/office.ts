import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EngineError, UnfitHostError } from './engine.ts';
import { findCommand, findConfined, findProgramDir } from './installation.ts';
import { NO_SANDBOX, parseSandbox, type Sandbox, type SandboxDemand, UNFIT_HOST } from './sandbox.ts';

const ANSWER_MS_MAX = 10_000;

/** LibreOffice as a command, and the walls around its process. */
export interface Office {
  command: string;
  /** Variables that the command needs beside `engineEnvironment`. */
  environment: Record<string, string>;
  sandbox: Sandbox;
}

/** Rejects with `unavailable` if LibreOffice is missing, or does not run within the required walls. */
export async function findOffice(demand: SandboxDemand): Promise<Office> {
  const [command, programDir] = [await findConfined(), await findProgramDir()];
  if (command !== undefined && programDir !== undefined) {
    const environment = { PROGRAM_DIR: programDir, SANDBOX: demand };
    return { command, environment, sandbox: await askSandbox(command, environment) };
  }
  const plain = await findCommand();
  if (plain === undefined) throw new UnfitHostError('there is no LibreOffice on this host');
  if (demand === 'degraded') return { command: plain, environment: {}, sandbox: NO_SANDBOX };
  throw new UnfitHostError(
    'LibreOffice cannot be confined: confined-soffice is not built on this host. SANDBOX=degraded converts without walls',
  );
}

async function askSandbox(command: string, environment: Record<string, string>): Promise<Sandbox> {
  try {
    const env = { ...environment, HOME: '/' };
    const { stdout } = await promisify(execFile)(command, [], { env, timeout: ANSWER_MS_MAX });
    const sandbox = parseSandbox(stdout);
    if (sandbox !== undefined) return sandbox;
    throw new Error(`unexpected output ${JSON.stringify(stdout.slice(0, 100))}`);
  } catch (error) {
    const { stderr, message, code } = error as Error & { stderr?: string; code?: unknown };
    const reason = stderr?.trim() || message;
    if (code === UNFIT_HOST) throw new UnfitHostError(reason, { cause: error });
    throw new EngineError('unavailable', reason, { cause: error });
  }
}
