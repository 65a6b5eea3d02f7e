import { InvalidArgumentError } from '@cosi-ts/resource';

/** Where a document of a manifest is, counted from 1. */
export interface Place {
  /** The name of the file; empty when there is only one text. */
  readonly source: string;
  readonly document: number;
  readonly line: number;
}

/** `fleet.yaml, document 2, line 14` */
export function placeText({ source, document, line }: Place): string {
  return `${source === '' ? '' : `${source}, `}document ${document}, line ${line}`;
}

/** A manifest that cannot be applied: nothing of it was. */
export class ManifestError extends InvalidArgumentError {
  constructor(
    readonly place: Place,
    /** What is wrong, without the place. */
    readonly reason: string,
    details: { readonly cause?: unknown; readonly path?: readonly (string | number)[] | undefined } = {},
  ) {
    super(`${placeText(place)}: ${reason}`, details);
  }
}
