/** How one test ended. */
export interface TestOutcome {
  readonly title: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was left out, or what else there is to say. */
  readonly note?: string | undefined;
  readonly tookMs: number;
}

/** What is run by one side against the other, with a line of its own in the table. */
export interface Suite {
  readonly name: string;
  /** Who asks whom. */
  readonly direction: string;
  /** Of the side that is asked. */
  readonly backend: string;
  /** For the table. */
  readonly remark?: string | undefined;
  /** Runs every test, and tells of each as it ends. */
  readonly run: (onOutcome: (outcome: TestOutcome) => void) => Promise<readonly TestOutcome[]>;
}

export const directions = {
  toOurs: 'Go client → our server',
  toGo: 'our client → Go server',
  onOurs: 'both → our server',
  onGo: 'both → Go server',
} as const;
