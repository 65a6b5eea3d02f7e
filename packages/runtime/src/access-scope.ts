import type { Kind, Pointer } from '@cosi-ts/resource';
import type { QueueInput } from './inputs.js';
import type { Output } from './outputs.js';
import { UndeclaredError } from './runtime-errors.js';

/** What one controller may read and write: what it declared. Each check throws {@link UndeclaredError}. */
export class AccessScope {
  readonly controller: string;
  readonly #outputs: ReadonlySet<string>;
  #inputs: readonly Pick<QueueInput, 'kind' | 'of'>[];

  constructor(controller: string, inputs: readonly Pick<QueueInput, 'kind' | 'of'>[], outputs: readonly Output[]) {
    this.controller = controller;
    this.#inputs = inputs;
    this.#outputs = new Set(outputs.map((output) => output.type));
  }

  set inputs(inputs: readonly Pick<QueueInput, 'kind' | 'of'>[]) {
    this.#inputs = inputs;
  }

  checkRead(subject: Pointer | Kind): void {
    if (this.#outputs.has(subject.type) || this.#inputs.some((input) => covers(input.of, subject))) return;
    throw new UndeclaredError(this.controller, 'reads what is neither its input nor its output:', subject);
  }

  checkWrite(pointer: Pointer): void {
    if (this.#outputs.has(pointer.type)) return;
    throw new UndeclaredError(this.controller, 'writes what is not its output:', pointer);
  }

  checkFinalizer(pointer: Pointer): void {
    const allowed = this.#inputs.some(
      (input) => (input.kind === 'primary' || input.kind === 'mapped') && covers(input.of, pointer),
    );
    if (allowed) return;
    throw new UndeclaredError(
      this.controller,
      'changes finalizers of what is neither its primary nor its mapped input:',
      pointer,
    );
  }
}

/** An input of one resource covers neither the others nor the list of its kind. */
function covers(input: Kind | Pointer, subject: Kind | Pointer): boolean {
  if (input.type !== subject.type || input.namespace !== subject.namespace) return false;
  return !('id' in input) || ('id' in subject && subject.id === input.id);
}
