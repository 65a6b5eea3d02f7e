import type { StateFeatures } from '../features.js';
import type { StateTest } from '../state-test.js';
import type { Command, Write } from './commands.js';
import { Explanations } from './explanations.js';
import { ModelOperations } from './model-operations.js';
import { ModelWatches } from './model-watches.js';
import type { KindName } from './plain.js';
import { type SentWrite, sentWrite } from './sent-write.js';

/** Runs commands against a state, and fails when the model cannot explain what is seen. */
export class ModelRun {
  readonly #explanations = new Explanations();
  readonly #operations: ModelOperations;
  readonly #watches: ModelWatches;
  readonly #kinds: readonly KindName[];

  constructor(t: StateTest, features: StateFeatures) {
    this.#operations = new ModelOperations(t, features, this.#explanations);
    this.#watches = new ModelWatches(t, features, this.#explanations);
    this.#kinds = features.namespaces ? ['items', 'others', 'elsewhere'] : ['items', 'others'];
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) await this.#step(command);
    await this.#watches.readAll();
    await this.#mark();
    await this.#watches.readAll();
    for (const kind of this.#kinds) await this.#operations.list(kind, 'all');
  }

  #step(command: Command): Promise<void> {
    switch (command.op) {
      case 'create':
      case 'update':
      case 'destroy':
        return this.#operations.writes([this.#sent(command)]);
      case 'race':
        return this.#operations.writes(command.writes.map((write) => this.#sent(write)));
      case 'teardown':
        return this.#operations.teardown(command.kind, command.id, command.owner);
      case 'finalizer':
        return this.#operations.finalizer(command);
      case 'get':
        return this.#operations.get(command.kind, command.id);
      case 'list':
        return this.#operations.list(command.kind, command.query);
      case 'open':
        return this.#watches.open(command);
      case 'read':
        return this.#watches.read(command.watch, command.items);
      case 'close':
        return this.#watches.close(command.watch);
    }
  }

  #sent(write: Write): SentWrite {
    return sentWrite(write, this.#explanations.present(write.kind, write.id));
  }

  /** Writes something new to each kind: watches that it matches must give just that. */
  async #mark(): Promise<void> {
    const content = { owner: '', phase: 'running', tier: 'web', finalizers: [], value: 9 } as const;
    for (const kind of this.#kinds) {
      await this.#operations.writes([this.#sent({ op: 'create', kind, id: 'last-a', content })]);
    }
  }
}
