import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The exit code of a program whose command line is wrong. */
const misuseCode = 2;

/** Says what is wrong with the command line, and ends the process. */
export function misuse(complaint: string): never {
  console.error(`${complaint} (--help says what there is)`);
  process.exit(misuseCode);
}

/**
 * Reads the command line of this process. Ends the process when somebody asks for help, and when there is anything on the
 * command line that the program does not know.
 * @param usage what is printed for `--help`
 */
export function readCommandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    const options: ParseArgsConfig['options'] = { ...config.options, help: { type: 'boolean' } };
    const { values }: { values: { help?: unknown } } = parseArgs<ParseArgsConfig>({ ...config, options });
    if (values.help !== true) return parseArgs(config);
  } catch (error) {
    misuse((error as Error).message);
  }
  console.log(usage);
  process.exit(0);
}

/** The number that an option gives: a whole one, and not below the least. Ends the process when it is none. */
export function wholeNumber(option: string, text: string, least: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  return misuse(`--${option} must be a whole number from ${least}, not ${JSON.stringify(text)}`);
}
