import { InvalidArgumentError } from '@cosi-ts/resource';

/** What a network interface needs to know. */
export interface Address {
  readonly ip: string;
  readonly mac: string;
  readonly prefixLength: number;
  readonly gateway: string;
}

/**
 * The addresses of one IPv4 network that machines can have: all but that of the network itself, the gateway (the first
 * after it) and broadcast. Each comes with a MAC address of its own, made from the same number.
 */
export class AddressPlan {
  readonly prefixLength: number;
  readonly gateway: string;
  /** How many addresses there are. */
  readonly size: number;
  readonly #first: number;

  /** @param cidr such as `10.64.0.0/19`; the prefix from 8 to 29. Throws `invalid-argument`. */
  constructor(readonly cidr: string) {
    const parts = /^(\d+\.\d+\.\d+\.\d+)\/(\d{1,2})$/.exec(cidr);
    const base = parts === null ? undefined : parseIp(parts[1] as string);
    const prefixLength = Number(parts?.[2]);
    if (base === undefined || prefixLength < 8 || prefixLength > 29) {
      throw new InvalidArgumentError(`${JSON.stringify(cidr)} is no IPv4 network with a prefix from /8 to /29`);
    }
    const count = 2 ** (32 - prefixLength);
    if (base % count !== 0) {
      const network = formatIp(base - (base % count));
      throw new InvalidArgumentError(
        `${cidr} is no network, because bits after the prefix are set: ${network}/${prefixLength} is`,
      );
    }
    this.prefixLength = prefixLength;
    this.gateway = formatIp(base + 1);
    this.size = count - 3;
    this.#first = base + 2;
  }

  /** The address with that number, from 0 up to but not including {@link size}. */
  at(index: number): Address {
    const { prefixLength, gateway } = this;
    return { ip: formatIp(this.#first + index), mac: formatMac(index), prefixLength, gateway };
  }

  /** The number of an address; undefined when it is not one of the plan. */
  indexOf(ip: string): number | undefined {
    const number = parseIp(ip);
    if (number === undefined) return undefined;
    const index = number - this.#first;
    return index >= 0 && index < this.size ? index : undefined;
  }

  /**
   * A free address: the preferred one if it is, else the next one from `from` on, around the end. Undefined when all are
   * taken.
   */
  free(
    taken: ReadonlySet<string>,
    options: { readonly preferred?: string; readonly from?: number } = {},
  ): number | undefined {
    const { preferred = '', from = 0 } = options;
    const wanted = this.indexOf(preferred);
    if (wanted !== undefined && !taken.has(preferred)) return wanted;
    for (let step = 0; step < this.size; step++) {
      const index = (from + step) % this.size;
      if (!taken.has(formatIp(this.#first + index))) return index;
    }
    return undefined;
  }
}

function parseIp(text: string): number | undefined {
  const bytes = text.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  if (bytes.length !== 4 || !bytes.every((byte) => byte <= 255)) return undefined;
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

function formatIp(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** The prefix is the one that QEMU's and KVM's machines have; it is locally administered. */
function formatMac(index: number): string {
  const bytes = [16, 8, 0].map((shift) => ((index >>> shift) & 0xff).toString(16).padStart(2, '0'));
  return `52:54:00:${bytes.join(':')}`;
}
