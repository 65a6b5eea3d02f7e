import { suggestion } from '../expression/near-names.js';
import type { Findings } from './syntax/place.js';
import type { Located } from './syntax/syntax.js';
import type { ReadEntry, ReadSteps } from './workflow-syntax.js';

type Section = 'steps' | 'finally';

/** Reports needs of steps that are not there, or that are there twice, of the wrong kind, or in a circle. */
export function checkNeeds(sections: Readonly<Record<Section, ReadSteps>>, findings: Findings): void {
  for (const [name, { keyOffset }] of sections.finally) {
    if (sections.steps.has(name)) {
      findings.report(
        keyOffset,
        ['finally', name],
        `there is a step ${name} among steps too: give one of them another name`,
      );
    }
  }
  for (const section of ['steps', 'finally'] as const) {
    for (const [name, { step }] of sections[section]) checkNames(name, section, step?.needs ?? [], sections);
    checkCircles(sections[section]);
  }
}

function checkNames(
  name: string,
  section: Section,
  needs: readonly Located<string>[],
  sections: Readonly<Record<Section, ReadSteps>>,
): void {
  const seen = new Set<string>();
  for (const { value, offset, place } of needs) {
    if (seen.has(value)) place.problem(offset, `${value} is needed twice: take it away once`);
    seen.add(value);
    if (value === name) {
      place.problem(offset, 'a step cannot need itself: take it away');
    } else if (!sections[section].has(value)) {
      place.problem(offset, missing(value, section, sections));
    }
  }
}

function missing(name: string, section: Section, sections: Readonly<Record<Section, ReadSteps>>): string {
  if (section === 'finally' && sections.steps.has(name)) {
    return `${name} is over when the steps of finally begin, as all steps are: take it out of needs`;
  }
  if (section === 'steps' && sections.finally.has(name)) {
    return `${name} is a step of finally, which begins when all others are over: move this step there, or ${name} to steps`;
  }
  return `there is no step ${name}${suggestion(name, sections[section].keys())}`;
}

/** Reports each circle once, at the need that closes it. */
function checkCircles(steps: ReadSteps): void {
  const done = new Set<string>();
  for (const start of steps.keys()) {
    if (done.has(start)) continue;
    // By hand rather than by recursion: chains of steps may be long.
    const path: { readonly name: string; readonly needs: Iterator<Located<string>> }[] = [];
    const onPath = new Set<string>();
    const enter = (name: string): void => {
      path.push({ name, needs: needsOf(steps.get(name)) });
      onPath.add(name);
    };
    enter(start);
    while (path.length > 0) {
      const last = path.at(-1) as (typeof path)[number];
      const next = last.needs.next();
      if (next.done === true) {
        path.pop();
        onPath.delete(last.name);
        done.add(last.name);
        continue;
      }
      const { value, offset, place } = next.value;
      if (value === last.name || done.has(value) || !steps.has(value)) continue;
      if (!onPath.has(value)) {
        enter(value);
        continue;
      }
      const names = path.map(({ name }) => name);
      const circle = [...names.slice(names.indexOf(value)), value];
      place.problem(offset, `steps need each other in a circle, ${shown(circle)}: take one of these needs away`);
    }
  }
}

const mostShown = 12;

function shown(circle: readonly string[]): string {
  const names = circle.length <= mostShown ? circle : [...circle.slice(0, mostShown - 2), '…', ...circle.slice(-2)];
  return names.join(' → ');
}

function needsOf(entry: ReadEntry | undefined): Iterator<Located<string>> {
  return (entry?.step?.needs ?? []).values();
}
