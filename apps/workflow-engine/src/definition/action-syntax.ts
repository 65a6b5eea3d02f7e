import type { Template } from '../expression/template.js';
import type { JsonObject } from '../json.js';
import type { Action, HttpAction, RunAction, SecretReference } from './definition.js';
import { durationMs } from './duration.js';
import { stepKeysIn } from './misplaced-keys.js';
import { headerName, nodeName, outputName, signalNameProblem, variableName } from './names.js';
import { dictionary, type Field, keyOffset, list, object, oneOrMore } from './syntax/collections.js';
import { plainText, textLike } from './syntax/scalars.js';
import { either, mapped, named, type Syntax, scalar } from './syntax/syntax.js';
import { anyTemplate, checkedTemplate, textTemplate, valueTemplate } from './syntax/templates.js';
import { plainObject } from './syntax/values.js';
import { timeMs } from './time.js';

/** What a step does is said under one of these keys. */
export type OwnActionKey = 'run' | 'http' | 'function' | 'workflow' | 'sleep' | 'sleepUntil' | 'wait' | 'approve';

const value = valueTemplate('a text, a number, true or false');

export const environment = named('environment', dictionary('a map from variables to texts', variableName, value));

const secret: Syntax<SecretReference> = named(
  'secret',
  mapped(
    textLike(
      'a secret and one of its keys',
      /^[^/\s]+\/[^/\s]+$/,
      'write the name of the secret, a slash and the key, like github/token',
    ),
    (text) => {
      const [name = '', key = ''] = text.split('/');
      return { secret: name, key };
    },
  ),
);

const script: Syntax<RunAction['command']> = mapped(textTemplate('a script'), (template) => ({ script: template }));
const args: Syntax<RunAction['command']> = mapped(
  list('a list of a program and its arguments', value, 1),
  (templates) => ({ args: templates }),
);

const status = /^([1-5])(\d\d|xx)(?:-([1-5]\d\d))?$/;
const statusRange: Syntax<HttpAction['expect'][number]> = scalar(
  'a status like 200, 2xx or 200-299',
  ['number', 'text'],
  {
    anyOf: [
      { type: 'integer', minimum: 100 },
      { type: 'string', pattern: status.source },
    ],
  },
  (node, place) => {
    const text = node.kind === 'text' ? node.text.text : node.written;
    const [, hundreds, rest, end] = status.exec(text) ?? [];
    if (hundreds === undefined || (rest === 'xx' && end !== undefined)) {
      return place.problem(node.offset, `${text} is no status: write one like 200, 2xx or 200-299`);
    }
    const from = Number(`${hundreds}${rest === 'xx' ? '00' : rest}`);
    const to = rest === 'xx' ? from + 99 : Number(end ?? from);
    return to >= from ? { from, to } : place.problem(node.offset, `${to} is less than ${from}: write ${to}-${from}`);
  },
);

const url = checkedTemplate(textTemplate('an address that begins with http:// or https://'), (text) =>
  /^https?:\/\/[^/\s]/.test(text) ? undefined : `${text} is no address: write one that begins with http:// or https://`,
);

const httpFields = object(
  'an address, or a map with url',
  {
    url: { syntax: url, required: true, doc: 'The address.', also: ['uri', 'address'] },
    method: {
      syntax: textLike('a method', /^[A-Za-z]+$/, 'write one like GET, POST or DELETE'),
      doc: 'Default: `POST` with a body, else `GET`.',
    },
    headers: { syntax: dictionary('a map from headers to texts', headerName, value), doc: 'Headers of the request.' },
    secretHeaders: {
      syntax: dictionary('a map from headers to secrets', headerName, secret),
      doc: 'Headers whose values are secrets, as `name/key`.',
    },
    body: { syntax: anyTemplate, doc: 'The body: text as it is, anything else as JSON.', also: ['json', 'data'] },
    expect: {
      syntax: oneOrMore('statuses like 200, 2xx or 200-299', statusRange),
      doc: 'Which statuses are a success: `204`, `2xx`, `200-299`, or a list of them.',
      default: '2xx',
      also: ['status', 'expectedStatus'],
    },
  },
  { hints: stepKeysIn('http') },
);

const request: Syntax<HttpAction> = mapped(httpFields, (fields, node, place) => {
  const { headers = new Map(), secretHeaders = new Map(), body, expect = [{ from: 200, to: 299 }] } = fields;
  const method = fields.method?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST');
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    place
      .at('body')
      .problem(
        keyOffset(node, 'body') ?? node.offset,
        `a request with the method ${method} has no body: write method: POST, or take the body away`,
      );
  }
  for (const name of secretHeaders.keys()) {
    if (headers.has(name))
      place
        .at('secretHeaders')
        .problem(
          keyOffset(node, 'secretHeaders') ?? node.offset,
          `${name} is among the headers too: take one of them away`,
        );
  }
  return fields.url === undefined
    ? undefined
    : { kind: 'http', method, url: fields.url, headers, secretHeaders, body, expect };
});

const get: Syntax<HttpAction> = mapped(url, (address) => ({
  kind: 'http',
  method: 'GET',
  url: address,
  headers: new Map(),
  secretHeaders: new Map(),
  body: undefined,
  expect: [{ from: 200, to: 299 }],
}));

const wantedSleep = 'a duration like 90s, 5m, 1h30m or 2d';
const sleep: Syntax<Action> = mapped(
  either(
    wantedSleep,
    {
      text: checkedTemplate(textTemplate(wantedSleep), (text) =>
        durationMs(text) === undefined ? `this must be ${wantedSleep}, not ${JSON.stringify(text)}` : undefined,
      ),
      number: scalar(wantedSleep, ['number'], { type: 'string' }, ({ written, offset }, place) =>
        place.problem(offset, `${written} has no unit: write ${written}s for seconds, or ${written}m for minutes`),
      ),
    },
    { type: 'string', minLength: 2 },
  ),
  (duration) => ({ kind: 'sleep', duration }),
);

const wantedTime = 'a time like 2030-05-17T08:00:00Z';
const sleepUntil: Syntax<Action> = mapped(
  checkedTemplate(textTemplate(wantedTime), (text) =>
    timeMs(text) === undefined ? `this must be ${wantedTime}, not ${JSON.stringify(text)}` : undefined,
  ),
  (time) => ({ kind: 'sleepUntil', time }),
);

const signalName = checkedTemplate(textTemplate('the name of a signal'), signalNameProblem);

const waitFields = object(
  'a name, or a map with signal',
  {
    signal: {
      syntax: signalName,
      required: true,
      doc: 'The name of the signal that is waited for, or a text with expressions that make it.',
      also: ['name', 'event'],
    },
    otherwise: {
      syntax: plainObject('a map of outputs'),
      doc: 'The outputs of the step when nothing came within its `timeout`. Without it the step fails then.',
      also: ['default', 'else'],
    },
  },
  { hints: stepKeysIn('wait') },
);

/** What a step waits for. */
export interface Waiting {
  /** Undefined: a signal of the name of the step. */
  readonly signal: Template | undefined;
  readonly approval: Template | undefined;
  readonly otherwise: JsonObject | undefined;
}

const wait: Syntax<Waiting> = either('the name of a signal, or a map with signal and otherwise', {
  text: mapped(signalName, (signal) => ({ signal, approval: undefined, otherwise: undefined })),
  map: mapped(waitFields, ({ signal, otherwise }) =>
    signal === undefined ? undefined : { signal, approval: undefined, otherwise },
  ),
});

const prompt = textTemplate('a question');
const approveFields = object(
  'a question, or a map with prompt',
  {
    prompt: { syntax: prompt, required: true, doc: 'What is asked.', also: ['message', 'question', 'text'] },
    signal: {
      syntax: signalName,
      doc: 'The name of the signal that answers. Default: the name of the step, with `forEach` and `_` and the index: `ask_0`.',
    },
    otherwise: {
      syntax: plainObject('a map of outputs'),
      doc: 'The outputs of the step when nobody answered within its `timeout`. Without it the step fails then.',
    },
  },
  { hints: stepKeysIn('approve') },
);

const approve: Syntax<Waiting> = either('a question, or a map with prompt and signal', {
  text: mapped(prompt, (approval) => ({ signal: undefined, approval, otherwise: undefined })),
  map: mapped(approveFields, ({ prompt: approval, signal, otherwise }) =>
    approval === undefined ? undefined : { signal, approval, otherwise },
  ),
});

const withSyntax = dictionary('a map of arguments', plainText('a name'), anyTemplate);

const wantedCommand = 'a script, or a list of a program and its arguments';
const command: Syntax<RunAction['command']> = either(
  wantedCommand,
  {
    text: script,
    list: args,
    boolean: scalar(wantedCommand, ['boolean'], {}, ({ written, offset }, place) =>
      place.problem(offset, `this must be ${wantedCommand}: for the program ${written} write run: "${written}"`),
    ),
  },
  { anyOf: [script.schema, args.schema] },
);

const shell: Syntax<readonly string[]> = either('a program and its arguments', {
  text: mapped(plainText('a program and its arguments'), (text) => text.trim().split(/\s+/)),
  list: list('a program and its arguments', plainText('a text'), 1),
});

/** The keys that say what a step does. */
export const actionFields = {
  run: {
    syntax: command,
    doc: 'A script for the shell, or a list of a program and its arguments, which no shell reads.',
    also: ['script', 'command', 'cmd', 'exec', 'container'],
  },
  http: {
    syntax: either<HttpAction>('an address, or a map with url', { text: get, map: request }),
    doc: 'A request: an address, which is fetched, or a map.',
    also: ['fetch', 'request', 'webhook'],
  },
  function: {
    syntax: plainText('the name of a function'),
    doc: 'The name of a function that the engine was given.',
    also: ['call', 'uses'],
  },
  workflow: { syntax: nodeName, doc: 'The name of another workflow, which is run. Its outputs are those of the step.' },
  sleep: { syntax: sleep, doc: 'Goes on after a while: `90s`, `5m`, `1h30m`, `2d`.' },
  sleepUntil: { syntax: sleepUntil, doc: 'Goes on at a time: `2030-05-17T08:00:00Z`.' },
  wait: {
    syntax: wait,
    doc: 'Waits for a signal to the run. Its payload becomes the outputs of the step.',
    also: ['signal', 'waitFor', 'event'],
  },
  approve: {
    syntax: approve,
    doc: 'Waits until somebody has approved. Whoever refuses makes the step fail.',
    also: ['approval', 'suspend', 'manual'],
  },
} as const satisfies Readonly<Record<OwnActionKey, Field<unknown>>>;

const artifactPath: Syntax<string> = mapped(plainText('a path'), (path, { offset }, place) => {
  const leaves = /^([/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..');
  const isWhole = path.split(/[/\\]/).every((name) => name === '.' || name === '');
  if (isWhole && !leaves)
    return place.problem(offset, `"${path}" is the whole working folder: name what is to be kept of it`);
  if (!leaves) return path;
  return place.problem(offset, `${path} is not within the working folder: write a path relative to it, without ..`);
});

/** Keys that belong to actions, and say no action themselves. */
export const companionFields = {
  shell: {
    syntax: shell,
    doc: 'Of `run` with a script: what reads it, a program and its arguments, which gets the file of the script last.',
    default: 'sh -e',
  },
  env: { syntax: environment, doc: 'Of `run`: variables of the process.', also: ['environment'] },
  secretEnv: {
    syntax: dictionary('a map from variables to secrets', variableName, secret),
    doc: 'Of `run`: variables of the process that are secrets, as `name/key`.',
    also: ['secrets', 'envFrom'],
  },
  workingFolder: {
    syntax: textTemplate('a folder'),
    doc: 'Of `run`: where the process is started. Default: an empty folder of its own.',
    also: ['cwd', 'workingDirectory', 'dir', 'workdir', 'folder'],
  },
  artifacts: {
    syntax: oneOrMore('paths in the working folder', artifactPath),
    doc: 'Files and folders in the working folder that are kept for the steps after this one.',
  },
  with: {
    syntax: withSyntax,
    doc: 'Of `function` and `workflow`: the arguments, or the inputs.',
    also: ['args', 'arguments', 'inputs', 'parameters'],
  },
  outputs: {
    syntax: dictionary('a map of outputs', outputName, anyTemplate),
    doc: 'Of a step that does nothing else: its outputs.',
  },
} as const satisfies Readonly<Record<string, Field<unknown>>>;
