import { textLike } from './syntax/scalars.js';

/** Of workflows and steps: they are parts of ids of resources, where dots have a meaning. */
export const nodeName = textLike(
  'a name',
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'use lower-case letters, digits and dashes, no dash first or last, and 63 characters at most',
  (text) =>
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
);

/** Of signals, which are parts of ids too. */
export const signalNamePattern = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;
export const signalNameAdvice =
  'use letters, digits, dashes and underscores, the first and the last a letter or a digit, and 63 characters at most';

/** What is wrong with the name of a signal. */
export function signalNameProblem(text: string): string | undefined {
  if (signalNamePattern.test(text)) return undefined;
  const better = text.replace(/[^A-Za-z0-9_-]+/g, '-');
  const meant = better !== text && signalNamePattern.test(better) ? `; did you mean ${better}?` : '';
  return `${text} is not the name of a signal: ${signalNameAdvice}${meant}`;
}

/** Of inputs, so that `inputs.name` is an expression. */
export const inputName = textLike(
  'the name of an input',
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'use letters, digits and underscores, and no digit first, so that inputs.name can be written in expressions',
  (text) => text.replace(/[^A-Za-z0-9_]+(.?)/g, (_, next: string) => next.toUpperCase()),
);

export const outputName = textLike(
  'the name of an output',
  /^[A-Za-z_][A-Za-z0-9_-]*$/,
  'use letters, digits, underscores and dashes, and a letter or an underscore first',
);

/** Of the environment of processes. The engine tells processes of themselves in variables of its own. */
export const variableName = textLike(
  'the name of a variable of a step',
  /^(?!WORKFLOW_)[A-Za-z_][A-Za-z0-9_]*$/,
  'use letters, digits and underscores, no digit first, and not WORKFLOW_, with which those of the engine begin',
  (text) => text.replace(/[^A-Za-z0-9_]+/g, '_'),
);

export const headerName = textLike(
  'the name of a header',
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  'use letters, digits and dashes',
  (text) => text.replace(/\s+/g, '-'),
);
