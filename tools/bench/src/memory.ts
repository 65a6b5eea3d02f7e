/** Live memory of JavaScript and of its buffers, after a collection. The process must let collections be asked for. */
export function liveBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What the process had at most, by the operating system. */
export function maxResidentBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
