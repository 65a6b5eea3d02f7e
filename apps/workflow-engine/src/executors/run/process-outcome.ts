import { readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Outcome } from '../executor.js';
import { ArtifactError, keepArtifacts } from './artifacts.js';
import { OutputError, parseOutputs } from './output-file.js';

export interface EndedProcess {
  readonly exitCode: number;
  /** Masked. */
  readonly lastError: string;
  /** Takes secrets out of messages. */
  readonly mask: (text: string) => string;
  readonly outputFile: string;
  readonly maxOutputBytes: number;
  readonly workingFolder: string;
  readonly artifacts: readonly string[];
  readonly artifactFolder: string;
}

/** How an attempt ended whose process has ended by itself. Keeps what is to be kept; can be called again. */
export async function processOutcome(process: EndedProcess): Promise<Outcome> {
  const { exitCode, artifacts, mask } = process;
  if (exitCode !== 0) return { state: 'failed', reason: 'exit', message: exitMessage(process), exitCode };
  try {
    const outputs = parseOutputs(readOutput(process.outputFile, process.maxOutputBytes), mask);
    if (artifacts.length > 0) {
      await keepArtifacts({ from: process.workingFolder, paths: artifacts, to: process.artifactFolder });
    }
    return { state: 'succeeded', outputs };
  } catch (error) {
    if (!(error instanceof OutputError || error instanceof ArtifactError)) throw error;
    return { state: 'failed', reason: 'error', message: mask(error.message) };
  }
}

const maxShown = 300;

function exitMessage({ exitCode, lastError }: EndedProcess): string {
  const text = lastError.trim();
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return shown === '' ? exitText(exitCode) : `${exitText(exitCode)}: ${shown}`;
}

function exitText(code: number): string {
  if (code === 127) return 'exit code 127: the program was not found';
  if (code === 126) return 'exit code 126: the program cannot be executed';
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? `exit code ${code}` : `ended by ${signal} (exit code ${code})`;
}

function readOutput(path: string, maxBytes: number): Uint8Array {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new OutputError('the file $WORKFLOW_OUTPUT is no file any more');
  const size = found?.size ?? 0;
  if (size > maxBytes) {
    throw new OutputError(`the outputs have ${size} bytes, the limit is ${maxBytes}: keep large ones as artifacts`);
  }
  return size === 0 ? new Uint8Array() : readFileSync(path);
}
