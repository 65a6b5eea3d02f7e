import type { Output } from './outputs.js';
import { RegistrationError } from './runtime-errors.js';

/** Who writes which type: an exclusive one has one controller, a shared one any number that all share it. */
export class OutputClaims {
  readonly #claims = new Map<string, { readonly kind: Output['kind']; readonly controllers: string[] }>();

  /** All outputs of a controller, no type twice, or none. Throws {@link RegistrationError} when one cannot be. */
  claim(controller: string, outputs: readonly Output[]): void {
    for (const output of outputs) {
      const claim = this.#claims.get(output.type);
      if (claim === undefined || (claim.kind === 'shared' && output.kind === 'shared')) continue;
      const present = claim.controllers.map((name) => JSON.stringify(name)).join(', ');
      throw new RegistrationError(
        controller,
        claim.kind === 'exclusive'
          ? `${output.type} is an exclusive output of ${present}`
          : `it wants ${output.type} exclusively, which is a shared output of ${present}`,
      );
    }
    for (const { type, kind } of outputs) {
      const claim = this.#claims.get(type);
      if (claim === undefined) this.#claims.set(type, { kind, controllers: [controller] });
      else claim.controllers.push(controller);
    }
  }
}
