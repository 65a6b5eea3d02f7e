// What a launcher says while it works: one line when a step begins, a sign of life when it takes long, one line at its end.
import { run } from './child.mjs';

const signOfLifeMs = 10_000;

/** A step that failed; its message and output are all the user needs to see, so no stack is printed. */
export class StepFailed extends Error {
  /**
   * @param {string} message
   * @param {{ exitCode?: number, output?: readonly string[] }} [detail]
   */
  constructor(message, { exitCode = 1, output = [] } = {}) {
    super(message);
    this.name = 'StepFailed';
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** @type {NodeJS.WritableStream} */
let voice = process.stdout;

/** Where all that is said goes from now on. @param {NodeJS.WritableStream} stream */
export function sayOn(stream) {
  voice = stream;
}

/** @param {string} line */
export const say = (line) => {
  voice.write(`cosi-ts: ${line}\n`);
};

/** @param {number} ms */
export const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/**
 * Runs one command as a step of the launcher.
 * @param {string} title what is being done, as in "install dependencies"
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('./child.mjs').RunOptions & { report?: (output: string[]) => string[] }} [options] `report` chooses
 *   what to show of a failed command's output
 */
export async function step(title, command, args, { report = (output) => output, ...options } = {}) {
  const begin = performance.now();
  const took = () => seconds(performance.now() - begin);
  let lastLine = '';
  say(`${title} …`);
  const alive = options.show
    ? undefined
    : setInterval(() => say(`  ${took()}: ${lastLine.trim().slice(0, 100) || 'at work'}`), signOfLifeMs);
  try {
    const { exitCode, output } = await run(command, args, {
      ...options,
      onLine: (line) => {
        if (line.trim() !== '') lastLine = line;
      },
    });
    if (exitCode !== 0)
      throw new StepFailed(`${title}: failed after ${took()} with exit code ${exitCode}`, {
        exitCode,
        output: report(output),
      });
    say(`${title}: done in ${took()}`);
  } finally {
    clearInterval(alive);
  }
}

/**
 * Runs a launcher's steps and turns the first failure into a report and an exit code.
 * @param {() => Promise<void>} steps
 */
export async function launch(steps) {
  try {
    await steps();
  } catch (error) {
    const { syscall, path } = /** @type {NodeJS.ErrnoException} */ (error);
    if (syscall?.startsWith('spawn')) {
      console.error(`cosi-ts: cannot run ${path}; is everything installed? "npm run build" installs what is missing`);
      process.exit(1);
    }
    if (!(error instanceof StepFailed)) throw error;
    if (error.output.length > 0) console.error(`\n${error.output.join('\n')}\n`);
    console.error(`cosi-ts: ${error.message}`);
    process.exit(error.exitCode);
  }
}
