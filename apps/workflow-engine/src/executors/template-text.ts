import type { JsonValue } from '@cosi-ts/resource';
import type { Scope } from '../expression/expression.js';
import type { Template } from '../expression/template.js';
import { textOf } from '../expression/text.js';

/** What a template gives where only a text will do: lists and objects as JSON, nothing for null. */
export function templateText(template: Template, scope: Scope): string {
  return textOf(template.evaluate(scope));
}

export function templateTexts(templates: ReadonlyMap<string, Template>, scope: Scope): Record<string, string> {
  return Object.fromEntries([...templates].map(([name, template]) => [name, templateText(template, scope)]));
}

export function templateValues(templates: ReadonlyMap<string, Template>, scope: Scope): Record<string, JsonValue> {
  return Object.fromEntries([...templates].map(([name, template]) => [name, template.evaluate(scope)]));
}
