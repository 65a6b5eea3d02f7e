import { UnavailableError } from '@cosi-ts/resource';
import { Stop } from '../stop.js';

/** Tells calls when a server wants them to end. */
export class Shutdown {
  /** Stops first: calls that wait for something end, new ones are refused. */
  readonly closing = new Stop();
  /** Stops when the others have had their time. */
  readonly aborting = new Stop();

  close(): void {
    this.closing.stop(shuttingDown());
  }

  abort(): void {
    this.close();
    this.aborting.stop(shuttingDown());
  }
}

function shuttingDown(): UnavailableError {
  return new UnavailableError('the server is shutting down');
}
