import type { Definition, StepDefinition } from '../definition/definition.js';
import { StepModel } from './step-model.js';

/**
 * The steps of a run, each after those that it needs, else in the order of the definition; those of `finally` last.
 * Throws a `TypeError` for a step that is needed and is not there, and for steps that need each other.
 */
export function stepGraph(definition: Definition): ReadonlyMap<string, StepModel> {
  const models = new Map<string, StepModel>();
  const open = new Set<string>();
  const add = (step: StepDefinition, isFinally: boolean): StepModel => {
    const known = models.get(step.name);
    if (known !== undefined) return known;
    if (open.has(step.name)) throw new TypeError(`the step ${step.name} needs itself`);
    open.add(step.name);
    const needs = step.needs.steps.map((name) => {
      const need = definition.steps.get(name) ?? definition.finally.get(name);
      if (need === undefined) throw new TypeError(`the step ${step.name} needs ${name}, which is not there`);
      return add(need, definition.finally.has(name));
    });
    const model = new StepModel(step, models.size, isFinally, needs);
    models.set(step.name, model);
    return model;
  };
  for (const step of definition.steps.values()) add(step, false);
  for (const step of definition.finally.values()) add(step, true);
  return models;
}
