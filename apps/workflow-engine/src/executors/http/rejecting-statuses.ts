/**
 * Statuses by which a server says that this request, made again, will get no other answer: it is not well-formed, not
 * allowed, or for what is not there. A step that waits for something to be there names its status in `expect` and
 * repeats. All other statuses that are not expected may be others the next time.
 */
export const rejectingStatuses: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 426, 428, 431, 451, 501, 505,
]);
