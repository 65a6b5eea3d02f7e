/** How an engine is given what a run misses, as messages tell it. */
export interface HowToGive {
  secret(name: string, key: string): string;
  readonly workflow: string;
  readonly functions: string;
}

/** An engine that goes on after the run. */
export const howToGive: HowToGive = Object.freeze({
  secret: (name: string, key: string) => `set it with "workflow secret set ${name} ${key}=…", and retry the run`,
  workflow: '"workflow apply FILE" adds it',
  functions: 'workflow serve --plugin FILE',
});

/** One that is there for one run, and has nothing but what the command gives it. */
export const howToGiveLocally: HowToGive = Object.freeze({
  secret: (name: string, key: string) => `give it with --secret ${name}/${key}=…`,
  workflow: '--apply FILE adds it',
  functions: '--plugin FILE',
});
