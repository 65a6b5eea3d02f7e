import { type ApiRequest, Problem, type Route, readYaml, route } from '@cosi-ts/app-kit';
import type { State } from '@cosi-ts/state';
import { ApplyConflict, applyManifest } from '../manifest/apply.js';
import { parseManifests } from '../manifest/manifest.js';
import { ManifestError } from '../manifest/manifest-error.js';

/** `POST /apply`: a manifest, with `?prune=true` and `?dryRun=true`. */
export function applyRoute(state: State): Route {
  return route('POST', '/apply', async ({ raw, query, signal }: ApiRequest) => {
    const options = { prune: flag(query, 'prune'), dryRun: flag(query, 'dryRun'), signal };
    const text = await readYaml(raw);
    try {
      const report = await applyManifest(state, parseManifests([{ name: '', text }]), options);
      return { status: 200, body: report };
    } catch (error) {
      throw problemWithManifest(error) ?? error;
    }
  });
}

function problemWithManifest(error: unknown): Problem | undefined {
  if (error instanceof ManifestError) {
    const { document, line } = error.place;
    return new Problem(400, error.code, error.message, {
      field: error.path?.join('.'),
      hint: 'nothing was applied',
      more: { document, line },
    });
  }
  if (error instanceof ApplyConflict) {
    const { place, resource } = error.failed;
    const failed = {
      document: place.document,
      line: place.line,
      type: resource.metadata.type,
      id: resource.metadata.id,
    };
    return new Problem(409, error.cause.code, error.message, {
      hint: 'what is listed as applied stays; the manifest can be applied again as a whole',
      more: { applied: error.applied, failed, left: error.left },
    });
  }
  return undefined;
}

function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  if (value === null || value === 'false') return false;
  if (value === 'true' || value === '') return true;
  throw new Problem(400, 'invalid-argument', `${name} must be true or false, not ${JSON.stringify(value)}`, {
    field: name,
  });
}
