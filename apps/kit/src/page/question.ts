/** What a page asks before it does something that cannot be taken back. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button says. */
  readonly verb: string;
  readonly act: () => Promise<unknown>;
}
