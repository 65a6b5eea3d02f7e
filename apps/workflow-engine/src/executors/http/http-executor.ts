import { InvalidArgumentError, isInvalidArgument, isNotFound } from '@cosi-ts/resource';
import type { JsonObject } from '../../json.js';
import { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Executor, Outcome } from '../executor.js';
import { LogWriter } from '../logs/log-writer.js';
import { Mask } from '../logs/mask.js';
import { messageOf, stoppedOutcome } from '../stopped.js';
import { type HttpRequest, readHttpAction } from './action.js';
import { type HttpOptions, resolveHttpOptions } from './options.js';
import { rejectingStatuses } from './rejecting-statuses.js';
import { bodyBeginning, bodyValue, ResponseBodyError, readBody } from './response-body.js';
import { type Message, send } from './send.js';

/** Headers of answers that are outputs, where the server gives them. */
const keptHeaders = ['content-type', 'location', 'etag', 'last-modified', 'retry-after', 'link', 'x-request-id'];

const shownBody = 500;
/** Longer than what is shown by more than a secret, as a rule. */
const readBodyAtMost = 8 * 1024;

function shortened(text: string): string {
  return text.length > shownBody ? `${text.slice(0, shownBody)}…` : text;
}

/**
 * Sends requests. What a server does with one cannot be taken back, nor found out after a crash: it is sent again then,
 * with the same `Idempotency-Key`, by which the server can tell.
 */
export class HttpExecutor implements Executor {
  readonly name = 'http';
  readonly #paths: AttemptPaths;
  readonly #options: Required<HttpOptions>;

  /** @param dataFolder an absolute path, for logs */
  constructor(dataFolder: string, options: HttpOptions = {}) {
    this.#paths = new AttemptPaths(dataFolder);
    this.#options = resolveHttpOptions(options);
  }

  async execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    const { clock, logger } = this.#options;
    const path = this.#paths.log(attempt);
    const onError = (err: unknown) => logger.warn({ err, log: path }, 'the log of a step cannot be written');
    const log = new LogWriter(path, { onError });
    const mask = new Mask();
    context.report({ log: this.#paths.logName(attempt) });
    const say = (text: string) => log.say('engine', mask.apply(text), clock.now().toDate());
    try {
      const request = readHttpAction(attempt.action);
      const sent = await message(request, attempt, context, mask);
      const outcome = await this.#send(request, sent, context.signal, mask, say);
      if (outcome.state === 'succeeded') return outcome;
      say(outcome.message);
      return { ...outcome, message: mask.apply(outcome.message) };
    } catch (error) {
      if (!isInvalidArgument(error) && !isNotFound(error)) throw error;
      say((error as Error).message);
      return { state: 'failed', reason: 'rejected', message: (error as Error).message };
    } finally {
      await log.close(clock.now().toDate());
    }
  }

  async #send(
    request: HttpRequest,
    message: Message,
    signal: AbortSignal,
    mask: Mask,
    say: (text: string) => void,
  ): Promise<Outcome> {
    const { maxBodyBytes, maxRedirects, clock, fetch } = this.#options;
    const isExpected = (status: number) => request.expect.some(({ from, to }) => status >= from && status <= to);
    const what = `${request.method} ${request.url.href}`;
    const startMs = clock.monotonicMs();
    try {
      const response = await send(message, { fetch, signal, maxRedirects, isExpected });
      const { status } = response;
      say(`${what}: ${status} after ${Math.round(clock.monotonicMs() - startMs)} ms`);
      if (!isExpected(status)) {
        // Masked before it is cut: the beginning of a secret would not be known as one.
        const beginning = shortened(mask.apply((await bodyBeginning(response, readBodyAtMost)).trim()));
        signal.throwIfAborted();
        const reason = rejectingStatuses.has(status) ? 'rejected' : 'error';
        return { state: 'failed', reason, message: `${what}: ${status}${beginning === '' ? '' : `: ${beginning}`}` };
      }
      const text = await readBody(response, maxBodyBytes);
      const body = bodyValue(response.headers.get('content-type') ?? '', text, (part) => mask.apply(part));
      return { state: 'succeeded', outputs: { status, headers: kept(response.headers), body } };
    } catch (error) {
      if (signal.aborted) return stoppedOutcome(signal);
      // The server has done what was asked; its answer would be the same another time.
      const reason = error instanceof ResponseBodyError ? 'rejected' : 'error';
      return { state: 'failed', reason, message: `${what}: ${messageOf(error)}` };
    }
  }

  async forget(run: string): Promise<void> {
    await this.#paths.forget(run);
  }
}

async function message(
  request: HttpRequest,
  attempt: Attempt,
  context: ExecutionContext,
  mask: Mask,
): Promise<Message> {
  const secretHeaders = new Headers();
  for (const [name, { secret, key }] of Object.entries(request.secretHeaders)) {
    const text = await context.secret(secret, key);
    mask.add(text);
    setSecret(secretHeaders, name, text, `${secret}/${key}`);
  }
  const headers = new Headers(request.headers);
  if (!headers.has('idempotency-key')) headers.set('idempotency-key', attempt.idempotencyKey);
  if (!headers.has('user-agent')) headers.set('user-agent', 'cosi-ts-workflow-engine');
  return { method: request.method, url: request.url, headers, secretHeaders, body: request.body };
}

function setSecret(headers: Headers, name: string, text: string, secret: string): void {
  try {
    headers.set(name, text);
  } catch {
    // The platform's message shows the value.
    throw new InvalidArgumentError(`the secret ${secret} cannot be the value of the header ${name}`);
  }
}

function kept(headers: Headers): JsonObject {
  return Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
