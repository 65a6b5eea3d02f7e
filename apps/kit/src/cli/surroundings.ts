/** What the command line is read in. */
export interface Surroundings {
  readonly version: string;
  /** Where the app keeps its data unless another place is named. */
  readonly dataFolder: string;
  readonly page: string | undefined;
  /** Where paths begin that are not absolute. Default: the working directory. */
  readonly workingFolder?: string;
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where help and faults are written to. Default: the standard streams. */
  readonly write?: (text: string) => void;
}
