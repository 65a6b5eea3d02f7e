import { suggestion } from '../expression/near-names.js';
import type { Reference } from '../expression/references.js';
import type { Known } from './check-references.js';
import type { ExpressionUse } from './syntax/place.js';
import type { ReadEntry } from './workflow-syntax.js';

const fields = ['outputs', 'state', 'error'];

/** Reports a step that is not there, or is not over for certain where the expression is evaluated, and wrong fields. */
export function checkStepReference(
  { path: [name = '', field, output], pathOffsets, offset }: Reference,
  at: ExpressionUse['path'],
  known: Known,
  report: (offset: number, message: string) => void,
): void {
  const nameOffset = pathOffsets[0] ?? offset;
  const step = known.steps.get(name) ?? known.finally.get(name);
  if (step === undefined) {
    const names = [...known.steps.keys(), ...known.finally.keys()];
    report(nameOffset, `there is no step ${name}${suggestion(name, names)}`);
    return;
  }
  const untimely = whyNotOver(name, at, known);
  if (untimely !== undefined) {
    report(nameOffset, untimely);
    return;
  }
  if (field === undefined) return;
  const fieldOffset = pathOffsets[1] ?? offset;
  if (!fields.includes(field)) {
    const near = suggestion(field, fields);
    const isOutput =
      near === '' ? `; it has outputs, state and error: for an output write steps.${name}.outputs.${field}` : near;
    report(fieldOffset, `a step has no ${field}${isOutput}`);
  } else if (field === 'outputs' && output !== undefined) {
    const wrong = wrongOutput(name, output, step, at);
    if (wrong !== undefined) report(pathOffsets[2] ?? offset, wrong);
  }
}

function wrongOutput(name: string, output: string, entry: ReadEntry, at: ExpressionUse['path']): string | undefined {
  if (entry.hasItems && at[1] !== name) {
    return output === 'items'
      ? undefined
      : `${name} has an execution for each item, and its outputs are a list: write steps.${name}.outputs.items, of which each has ${output}`;
  }
  if (entry.step?.isKnown === false) return undefined;
  const action = entry.step?.definition.action;
  if (action?.kind !== 'none' || action.outputs.has(output)) return undefined;
  return `${name} has no output ${output}${suggestion(output, action.outputs.keys())}`;
}

/** Why a step may not be over, or not even begun, when an expression is evaluated; undefined: it is over then. */
function whyNotOver(name: string, [section, own, key, part]: ExpressionUse['path'], known: Known): string | undefined {
  if (section === 'outputs') return undefined;
  if (name === own) {
    if (key === 'repeat' && part === 'until') return undefined;
    return `a step does not know itself: only repeat.until can speak of steps.${name}, after a round`;
  }
  const isFinal = known.finally.has(name) && !known.steps.has(name);
  if (section === 'finally' && !isFinal) return undefined;
  if (section !== 'finally' && isFinal) return `${name} is a step of finally, which begins when all others are over`;
  const steps = section === 'finally' ? known.finally : known.steps;
  const self = steps.get(String(own));
  // What it needs is not known for certain, which was reported.
  if (self?.step?.needs === undefined || self.step.needs.some(({ value }) => !steps.has(value))) return undefined;
  if (reaches(String(own), name, steps)) return undefined;
  const advice = reaches(name, String(own), steps)
    ? `${name} comes after it`
    : `write needs: ${name}, or add it to those that are there`;
  return `steps.${name} may not be over when ${own} begins, which does not need it: ${advice}`;
}

/** Whether a step needs another, directly or not. */
function reaches(from: string, to: string, steps: Known['steps']): boolean {
  const seen = new Set([from]);
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const { value } of steps.get(name)?.step?.needs ?? []) {
      if (value === to) return true;
      if (!seen.has(value)) {
        seen.add(value);
        open.push(value);
      }
    }
  }
  return false;
}
