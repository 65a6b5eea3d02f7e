import type { Rejection } from './placement-choice.js';

const mostHosts = 8;

/** Why there is no host, host by host; of many hosts the first. */
export function rejectionText(rejections: readonly Rejection[]): string {
  if (rejections.length === 0) return 'there is no host';
  const told = rejections.slice(0, mostHosts).map(({ host, reason }) => `${host} ${reason}`);
  const more = rejections.length - told.length;
  return `no host will do: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
