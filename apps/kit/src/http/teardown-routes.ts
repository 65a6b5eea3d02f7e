import { formatVersion, isPhaseConflict, type Pointer, parseVersion } from '@cosi-ts/resource';
import type { Runtime, TeardownBlockers } from '@cosi-ts/runtime';
import { Problem } from './problem.js';
import { type ApiRequest, type Route, route } from './router.js';

/**
 * `GET {path}/blockers` tells what a resource that is being torn down waits for. `DELETE {path}/finalizers/{finalizer}`
 * removes a finalizer by force: of an orphan only, which no controller here owns, and of the version only that the
 * request names in `?version=`, so that nobody removes what they have not looked at. `?reason=` goes into the log.
 *
 * @param path of one resource: `/vms/:id`
 * @param pointerOf the resource that the parameters of the path name
 */
export function teardownRoutes(
  runtime: Pick<Runtime, 'blockers' | 'forceRemoveFinalizer'>,
  path: string,
  pointerOf: (params: Readonly<Record<string, string>>) => Pointer,
): readonly Route[] {
  const blockers = async ({ params, signal }: ApiRequest) => ({
    status: 200,
    body: blockersJson(await runtime.blockers(pointerOf(params), { signal })),
  });

  const remove = async ({ raw, params, query, signal }: ApiRequest) => {
    const pointer = pointerOf(params);
    const finalizer = params.finalizer as string;
    const found = await runtime.blockers(pointer, { signal });
    const version = confirmedVersion(query.get('version'), found, finalizer);
    const blocker = found.blockers.find((each) => each.finalizer === finalizer);
    if (blocker !== undefined && !blocker.isOrphan) throw ownedBy(blocker.controller?.name ?? finalizer, raw.url);
    const reason = query.get('reason') ?? undefined;
    try {
      if (await runtime.forceRemoveFinalizer(pointer, finalizer, { version, reason, signal })) {
        return { status: 200, body: { id: pointer.id, finalizer, removed: true } };
      }
    } catch (error) {
      if (!isPhaseConflict(error)) throw error;
      throw new Problem(409, 'phase-conflict', `${pointer.id} is not being deleted: nothing waits for its finalizers`);
    }
    throw new Problem(404, 'not-found', `${pointer.id} does not have the finalizer ${JSON.stringify(finalizer)}`, {
      hint: `it has ${found.blockers.map((each) => each.finalizer).join(', ') || 'none'}`,
    });
  };

  return [route('GET', `${path}/blockers`, blockers), route('DELETE', `${path}/finalizers/:finalizer`, remove)];
}

function blockersJson({ id, type, version, phase, since, blockers }: TeardownBlockers) {
  return {
    id,
    type,
    version: formatVersion(version),
    phase,
    since,
    blockers: blockers.map(({ finalizer, controller, isOrphan, lastError }) => ({
      finalizer,
      controller,
      orphan: isOrphan,
      lastError: lastError === undefined ? undefined : { message: lastError.message, at: lastError.at },
    })),
  };
}

function confirmedVersion(text: string | null, found: TeardownBlockers, finalizer: string): bigint {
  const version = parseVersion(text === null || text === '' ? 'undefined' : text);
  if (version !== undefined) return version;
  throw new Problem(
    400,
    'invalid-argument',
    `name the version of ${found.id} that ${finalizer} is to be removed from`,
    {
      field: 'version',
      hint:
        `what ${finalizer} was to clean up stays as it is. If that is right, add ?version=${formatVersion(found.version)}&reason=… ` +
        `to remove it`,
    },
  );
}

function ownedBy(controller: string, url = ''): Problem {
  return new Problem(409, 'conflict', `the finalizer is that of ${controller}, which runs here and removes it itself`, {
    hint: `what keeps it from that is in ${url.replace(/\/finalizers\/.*$/, '')}/blockers`,
  });
}
