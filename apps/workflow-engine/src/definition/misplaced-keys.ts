type Hints = Readonly<Record<string, string>>;

function all(keys: string, hint: string): Hints {
  return Object.fromEntries(keys.split(' ').map((key) => [key, hint]));
}

const ofStep = 'needs when if on retry retries timeout timeoutSeconds timeoutMinutes deadline continueOnError runsOn';

/** Keys of steps that are written within what the step does. @param what the key of that */
export function stepKeysIn(what: string): Hints {
  return all(ofStep, `it belongs to the step: write it beside ${what}`);
}

/** Keys that are written at the step and belong into one of its maps, and what steps of others have. */
export const hintsOfSteps: Hints = {
  ...all(
    'parallel maxParallel parallelism maxFailures items failFast',
    'it belongs into forEach: write forEach: { items: …, parallel: 2 }',
  ),
  ...all('join cancelRest', 'it belongs into needs: write needs: { steps: […], join: any }'),
  ...all('backoff', 'it belongs into retry: write retry: { limit: 3, backoff: 10s }'),
  ...all('url method headers secretHeaders body expect', 'it belongs into http: write http: { url: … }'),
  ...all('prompt', 'it belongs into approve: write approve: { prompt: … }'),
  ...all('signal otherwise', 'it belongs into wait or approve: write wait: { signal: … }'),
  ...all('name id title', 'a step has the name of its key; what it is for is its description'),
  ...all('image container docker', 'steps are processes: start the container with run: [docker, run, --rm, IMAGE, …]'),
  ...all('uses', 'write what it does as run or http, or make a workflow of it and write workflow: NAME'),
};

const stepsOnly =
  'run http function needs when if retry retries runsOn shell workingFolder secretEnv forEach approve sleep wait artifacts';

/** What workflows of others have, and what belongs to steps. */
export const hintsOfWorkflows: Hints = {
  ...all(
    'on schedule schedules cron trigger triggers',
    'what starts a run is not part of it: "workflow schedule set NAME --workflow … --cron FIELDS" does, or "workflow run"',
  ),
  ...all('secrets', 'they are not declared: a step names those that it needs in secretEnv'),
  ...all(stepsOnly, 'it belongs to a step: write it within steps, below the name of one'),
  ...all('defaults', 'what steps share is written once, with an anchor, under a key that begins with x-'),
};

/** What inputs of others have. */
export const hintsOfInputs: Hints = {
  required: 'an input without a default must be given, one with a default need not',
};
