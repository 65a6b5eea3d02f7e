import {
  idQuery,
  labelMatcher,
  type Metadata,
  matchesId,
  sameKind,
  type TypedDraft,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import type { QueryOptions } from '@cosi-ts/state';
import type { Controller } from './controller.js';
import { checkController } from './controller-setup.js';
import { type ControllerInput, destroyReady, strong, weak } from './inputs.js';
import type { JobContext } from './job-context.js';
import { exclusive, type Output, shared } from './outputs.js';
import type { ReconcileResult } from './requeue.js';
import type { TransformResult } from './transform-output.js';
import { TransformPass } from './transform-pass.js';
import type { WriteLimitOptions } from './write-limit.js';

/** How a transform deals with inputs that are torn down. */
export type TransformTeardown<I> =
  | {
      /** Default: false. An input that is torn down, or is gone, takes its output along. */
      readonly inputFinalizers?: false | undefined;
      readonly finalizerRemoval?: undefined;
      /**
       * An input that is torn down counts as any other, and keeps its output until it is gone. Default: false. Not
       * together with input finalizers.
       */
      readonly ignoreTearingDownInputs?: boolean | undefined;
    }
  | {
      /** The controller's finalizer is on each input that has an output, so that the output goes before the input does. */
      readonly inputFinalizers: true;
      /**
       * Runs when an input is torn down, before its output is; the input goes on only when it has returned nothing. May run
       * several times.
       */
      readonly finalizerRemoval?:
        | ((input: TypedResource<I>, context: JobContext) => ReconcileResult | Promise<ReconcileResult>)
        | undefined;
      readonly ignoreTearingDownInputs?: false | undefined;
    };

export type TransformOptions<I, O> = TransformTeardown<I> & {
  readonly name: string;
  /** `VMConfig.kind` */
  readonly input: TypedKind<I>;
  /** `NetworkConfig.kind` */
  readonly output: TypedKind<O>;
  /** Which inputs count. One that does not match any more is dealt with as one that is torn down. Default: all. */
  readonly inputQuery?: QueryOptions | undefined;

  /** The output of an input; undefined when it is to have none. Default: the same id. */
  readonly map?: ((input: TypedResource<I>) => TypedPointer<O> | undefined) | undefined;

  /**
   * Makes of the draft what the output is to be. The draft is of the present output, or empty when there is none; it may
   * be called several times when someone else writes. Returning (or throwing) a requeue keeps the change and has all
   * inputs looked at again after that time; a {@link SkipError} drops the change and keeps the output as it is;
   * {@link destroyOutput} takes the output away. What it throws else is an error of this input only.
   */
  readonly transform: (
    draft: TypedDraft<O>,
    input: TypedResource<I>,
    context: JobContext,
  ) => TransformResult | Promise<TransformResult>;

  /** More inputs, whose changes have all inputs looked at. Default: none. */
  readonly extraInputs?: readonly ControllerInput[] | undefined;
  /** More types that the functions write. Default: none. */
  readonly extraOutputs?: readonly Output[] | undefined;
  /** Default: exclusive. */
  readonly outputKind?: Output['kind'] | undefined;
  readonly writeLimit?: WriteLimitOptions | undefined;
  /** Whether only one of the runtimes that share a state may run it at a time. Default: false. */
  readonly needsLeader?: boolean | undefined;
  readonly shutdownHook?: Controller['shutdownHook'];
};

/**
 * A controller that makes one output, which it owns, of each input, and takes away outputs that have no input any more.
 * It looks at all inputs whenever something changes: take it when outputs depend on more than their own input, else
 * {@link qtransform} does less work for each change. Throws a `TypeError` that says what is wrong with the options.
 *
 * An output that is tearing down belongs to an earlier life of its input: it is destroyed, once the finalizers of others
 * are gone from it, before a new one is made. When inputs fail, the others are dealt with all the same; then all errors
 * are thrown together as a {@link FailedInputsError}, and everything is tried again after a backoff.
 *
 * @example
 * runtime.register(
 *   transform({
 *     name: 'NetworkController',
 *     input: VMConfig.kind,
 *     output: NetworkConfig.kind,
 *     inputFinalizers: true,
 *     transform(draft, vm) {
 *       draft.spec.mac = macOf(vm.metadata.id);
 *     },
 *   }),
 * );
 */
export function transform<I, O>(options: TransformOptions<I, O>): Controller {
  checkOptions(options);
  const counts = matcherOf(options);
  const { name, input, output, inputFinalizers, extraInputs = [], extraOutputs = [], shutdownHook } = options;
  const controller: Controller = {
    name,
    inputs: [inputFinalizers === true ? strong(input) : weak(input), destroyReady(output), ...extraInputs],
    outputs: [options.outputKind === 'shared' ? shared(output) : exclusive(output), ...extraOutputs],
    writeLimit: options.writeLimit,
    needsLeader: options.needsLeader,
    async run(context) {
      for await (const _ of context.events) {
        await new TransformPass(options, counts, context).run();
        context.resetRestartBackoff();
      }
    },
    ...(shutdownHook === undefined ? {} : { shutdownHook }),
  };
  checkController(controller);
  return controller;
}

/** As it can come from code without types. */
type AnyTeardown = { readonly [K in keyof TransformTeardown<never>]?: unknown };

function checkOptions<I, O>(options: TransformOptions<I, O>): void {
  const { name, input, output } = options;
  const { inputFinalizers, finalizerRemoval, ignoreTearingDownInputs }: AnyTeardown = options;
  const wrong = (what: string) => new TypeError(`transform ${JSON.stringify(name)}: ${what}`);
  if (typeof options.transform !== 'function') throw wrong('it has no transform function');
  if (sameKind(input, output)) throw wrong('input and output are of the same kind');
  if (inputFinalizers === true && ignoreTearingDownInputs === true) {
    throw wrong('inputs that are torn down cannot be ignored where input finalizers wait for them');
  }
  if (inputFinalizers !== true && finalizerRemoval !== undefined) {
    throw wrong('finalizerRemoval needs inputFinalizers');
  }
}

/** Throws `invalid-argument` for a query that is none. */
function matcherOf<I, O>({ inputQuery }: TransformOptions<I, O>): (input: Metadata) => boolean {
  const matchesLabels = labelMatcher(inputQuery?.labels);
  const ids = inputQuery?.id === undefined ? undefined : idQuery(inputQuery.id);
  return ({ labels, id }) => matchesLabels(labels) && matchesId(ids, id);
}
