import { InvalidArgumentError } from './errors.js';

const minSeconds = -62_135_596_800; // 0001-01-01T00:00:00Z
const maxSeconds = 253_402_300_799; // 9999-12-31T23:59:59Z
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** A point in time with nanoseconds, from the year 1 to 9999 as in `google.protobuf.Timestamp`. */
export class Timestamp {
  /** The Unix epoch: what an absent time reads as. */
  static readonly epoch = new Timestamp(0, 0);

  /**
   * @param seconds since the Unix epoch, negative before it
   * @param nanos from 0 to 999 999 999, counted forward also before the epoch
   */
  constructor(
    readonly seconds: number,
    readonly nanos: number,
  ) {
    if (!Number.isInteger(seconds) || seconds < minSeconds || seconds > maxSeconds) {
      throw new InvalidArgumentError(`${seconds} s since the epoch is outside the years 1 to 9999`);
    }
    if (!Number.isInteger(nanos) || nanos < 0 || nanos > 999_999_999) {
      throw new InvalidArgumentError(`${nanos} is no number of nanoseconds from 0 to 999999999`);
    }
    Object.freeze(this);
  }

  static fromDate(date: Date): Timestamp {
    const ms = date.getTime();
    const seconds = Math.floor(ms / 1000);
    return new Timestamp(seconds, (ms - seconds * 1000) * 1_000_000);
  }

  /** Reads RFC 3339, with `T` and `Z` in capitals as peers write them. Digits past the nanosecond are cut off. */
  static parse(text: string): Timestamp {
    const parts = rfc3339.exec(text);
    if (parts === null) throw new InvalidArgumentError(`${JSON.stringify(text.slice(0, 64))} is no RFC 3339 time`);
    const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second);
    const exact =
      date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour && minute < 60;
    const offsetHours = Number(parts[9] ?? 0);
    const offsetMinutes = Number(parts[10] ?? 0);
    if (!exact || second > 59 || offsetHours > 23 || offsetMinutes > 59) {
      throw new InvalidArgumentError(`${JSON.stringify(text.slice(0, 64))} has a part out of range`);
    }
    const offset = (parts[8] === '-' ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
    return new Timestamp(date.getTime() / 1000 - offset, Number((parts[7] ?? '').slice(0, 9).padEnd(9, '0')));
  }

  compare(other: Timestamp): number {
    return this.seconds - other.seconds || this.nanos - other.nanos;
  }

  equals(other: Timestamp): boolean {
    return this.seconds === other.seconds && this.nanos === other.nanos;
  }

  /** The next representable time, one nanosecond later. */
  next(): Timestamp {
    return this.nanos === 999_999_999
      ? new Timestamp(this.seconds + 1, 0)
      : new Timestamp(this.seconds, this.nanos + 1);
  }

  /** The date with the milliseconds that a `Date` holds. */
  toDate(): Date {
    return new Date(this.seconds * 1000 + Math.floor(this.nanos / 1_000_000));
  }

  /** RFC 3339 in UTC with as many digits as are needed, or with whole seconds when asked. */
  toString(precision: 'nanoseconds' | 'seconds' = 'nanoseconds'): string {
    const whole = new Date(this.seconds * 1000).toISOString().slice(0, 19);
    if (precision === 'seconds' || this.nanos === 0) return `${whole}Z`;
    return `${whole}.${this.nanos.toString().padStart(9, '0').replace(/0+$/, '')}Z`;
  }

  toJSON(): string {
    return this.toString();
  }
}
