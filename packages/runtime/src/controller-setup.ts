import { type Kind, type Pointer, pointerKey, pointerText, sameKind } from '@cosi-ts/resource';
import type { PrimaryInput, QueueInput } from './inputs.js';
import type { QueueController } from './queue-controller.js';
import { checkDeadline } from './runtime-options.js';

/** Throws a `TypeError` that says what is wrong with a controller's declaration. */
export function checkController(controller: QueueController): void {
  const { name, concurrency = 1, reconcileDeadlineMs } = controller;
  if (typeof name !== 'string' || name === '') throw new TypeError('a controller needs a name');
  const wrong = (what: string) => new TypeError(`controller ${JSON.stringify(name)}: ${what}`);
  if (!Number.isInteger(concurrency) || concurrency < 1) throw wrong(`a concurrency of ${concurrency} cannot be`);
  if (reconcileDeadlineMs !== undefined) checkDeadline(reconcileDeadlineMs);
  if (typeof controller.reconcile !== 'function') throw wrong('it has no reconcile function');
  checkInputs(controller, controller.inputs);
}

export function checkInputs(controller: QueueController, inputs: readonly QueueInput[]): void {
  const wrong = (what: string) => new TypeError(`controller ${JSON.stringify(controller.name)}: ${what}`);
  if (!inputs.some((input) => input.kind === 'primary')) throw wrong('it has no primary input');
  const seen = new Set<string>();
  for (const input of inputs) {
    const key = subjectKey(input.of);
    if (seen.has(key)) throw wrong(`it has the input ${pointerText(input.of)} twice`);
    seen.add(key);
    if (input.kind !== 'primary' && input.mapper === undefined && controller.mapInput === undefined) {
      throw wrong(
        `nothing maps its input ${pointerText(input.of)}: give it a mapper, or noItems, or a mapInput function`,
      );
    }
  }
}

/** Different for a kind and for a resource with an empty id. */
export function subjectKey(subject: Kind | Pointer): string {
  return 'id' in subject ? `resource ${pointerKey(subject)}` : `kind ${pointerKey(subject)}`;
}

/** The primary input that a pointer belongs to. */
export function primaryFor(inputs: readonly QueueInput[], pointer: Pointer): PrimaryInput | undefined {
  for (const input of inputs) {
    if (input.kind !== 'primary' || !sameKind(input.of, pointer)) continue;
    if (!('id' in input.of) || input.of.id === pointer.id) return input;
  }
  return undefined;
}
