import type { Kind, Pointer } from '@cosi-ts/resource';
import type { DeclaredInput } from './inputs.js';
import type { Output } from './outputs.js';
import { UndeclaredError } from './runtime-errors.js';

/** Inputs on whose resources finalizers can be changed. */
const held: ReadonlySet<DeclaredInput['kind']> = new Set(['strong', 'primary', 'mapped']);

/** What one controller may read and write: what it declared. Each check throws {@link UndeclaredError}. */
export class AccessScope {
  readonly controller: string;
  readonly outputs: readonly Output[];
  inputs: readonly DeclaredInput[];
  readonly #written: ReadonlySet<string>;

  constructor(controller: string, inputs: readonly DeclaredInput[], outputs: readonly Output[]) {
    this.controller = controller;
    this.inputs = inputs;
    this.outputs = outputs;
    this.#written = new Set(outputs.map((output) => output.type));
  }

  checkRead(subject: Pointer | Kind): void {
    if (this.#written.has(subject.type) || this.inputs.some((input) => covers(input.of, subject))) return;
    throw new UndeclaredError(this.controller, 'reads what is neither its input nor its output:', subject);
  }

  checkWrite(subject: Pointer | Kind): void {
    if (this.#written.has(subject.type)) return;
    throw new UndeclaredError(this.controller, 'writes what is not its output:', subject);
  }

  checkFinalizer(pointer: Pointer): void {
    if (this.inputs.some((input) => held.has(input.kind) && covers(input.of, pointer))) return;
    throw new UndeclaredError(
      this.controller,
      'changes finalizers of what is no strong (of a queue controller: no primary or mapped) input:',
      pointer,
    );
  }
}

/** An input of one resource covers neither the others nor the list of its kind. */
function covers(input: Kind | Pointer, subject: Kind | Pointer): boolean {
  if (input.type !== subject.type || input.namespace !== subject.namespace) return false;
  return !('id' in input) || ('id' in subject && subject.id === input.id);
}
