import { type Pointer, pointerText, sameKind } from '@cosi-ts/resource';
import type { Controller } from './controller.js';
import { subjectKey } from './input-subscriptions.js';
import type { ControllerInput, DeclaredInput, PrimaryInput, QueueInput } from './inputs.js';
import type { QueueController } from './queue-controller.js';
import { RegistrationError } from './runtime-errors.js';
import { checkDeadline } from './runtime-options.js';
import { resolveWriteLimit } from './write-limit.js';

/** True of a controller that has `reconcile`. Throws a `TypeError` for what is neither one kind of controller nor the other. */
export function isQueueController(controller: Controller | QueueController): controller is QueueController {
  const { run, reconcile } = controller as Partial<Controller & QueueController>;
  const isQueue = typeof reconcile === 'function';
  if (isQueue !== (typeof run === 'function')) return isQueue;
  const what = isQueue
    ? 'it has a run and a reconcile function: a queue controller has a runHook beside reconcile'
    : 'it has neither a run nor a reconcile function';
  throw wrong(controller, what);
}

/** Throws a `TypeError` or `RangeError` that says what is wrong with a controller's declaration. */
export function checkController(controller: Controller): void {
  checkCommon(controller);
  checkControllerInputs(controller, controller.inputs);
}

export function checkControllerInputs(controller: Controller, inputs: readonly ControllerInput[]): void {
  checkTwice(controller, inputs);
  for (const { kind, of } of inputs) {
    if (kind === 'weak' || kind === 'strong' || kind === 'destroy-ready') continue;
    throw wrong(controller, `its input ${pointerText(of)} is ${kind}, which is for queue controllers`);
  }
}

/** Throws a `TypeError` or `RangeError` that says what is wrong with a queue controller's declaration. */
export function checkQueueController(controller: QueueController): void {
  const { concurrency = 1, reconcileDeadlineMs } = controller;
  checkCommon(controller);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw wrong(controller, `a concurrency of ${concurrency} cannot be`);
  }
  if (reconcileDeadlineMs !== undefined) checkDeadline(reconcileDeadlineMs);
  checkQueueInputs(controller, controller.inputs);
}

export function checkQueueInputs(controller: QueueController, inputs: readonly QueueInput[]): void {
  if (!inputs.some((input) => input.kind === 'primary')) throw wrong(controller, 'it has no primary input');
  checkTwice(controller, inputs);
  for (const input of inputs) {
    if (input.kind === 'primary') continue;
    if (input.kind !== 'mapped' && input.kind !== 'mapped-destroy-ready') {
      throw wrong(controller, `its input ${pointerText((input as DeclaredInput).of)} is not for queue controllers`);
    }
    if (input.mapper === undefined && controller.mapInput === undefined) {
      throw wrong(
        controller,
        `nothing maps its input ${pointerText(input.of)}: give it a mapper, or noItems, or a mapInput function`,
      );
    }
  }
}

/** The primary input that a pointer belongs to. */
export function primaryFor(inputs: readonly QueueInput[], pointer: Pointer): PrimaryInput | undefined {
  for (const input of inputs) {
    if (input.kind !== 'primary' || !sameKind(input.of, pointer)) continue;
    if (!('id' in input.of) || input.of.id === pointer.id) return input;
  }
  return undefined;
}

function checkCommon({ name, outputs = [], writeLimit }: Controller | QueueController): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('a controller needs a name');
  for (const [i, { type }] of outputs.entries()) {
    if (outputs.findIndex((other) => other.type === type) === i) continue;
    throw new RegistrationError(name, `it declares the output ${type} twice`);
  }
  if (writeLimit !== undefined) resolveWriteLimit(writeLimit);
}

function checkTwice(controller: { readonly name: string }, inputs: readonly DeclaredInput[]): void {
  const seen = new Set<string>();
  for (const { of } of inputs) {
    const key = subjectKey(of);
    if (seen.has(key)) throw wrong(controller, `it has the input ${pointerText(of)} twice`);
    seen.add(key);
  }
}

function wrong({ name }: { readonly name: string }, what: string): TypeError {
  return new TypeError(`controller ${JSON.stringify(name)}: ${what}`);
}
