import { Metadata, type Pointer, type Resource } from '@cosi-ts/resource';
import { brokenCore } from './broken-state.js';

export const brokenNamespaces = [
  brokenCore('S15', 'one id in two namespaces is one resource', (core) => {
    const home = 'conformance';
    const at = (pointer: Pointer): Pointer => ({ namespace: home, type: pointer.type, id: pointer.id });
    const moved = (resource: Resource, namespace: string) =>
      resource.withMetadata(new Metadata({ ...resource.metadata, namespace }));
    const isOurs = ({ namespace }: { readonly namespace: string }) => namespace.startsWith(home);
    return {
      get: async (pointer, options) =>
        isOurs(pointer) ? moved(await core.get(at(pointer), options), pointer.namespace) : core.get(pointer, options),
      create: async (resource, options) =>
        isOurs(resource.metadata)
          ? moved(await core.create(moved(resource, home), options), resource.metadata.namespace)
          : core.create(resource, options),
    };
  }),

  brokenCore('S15', 'a list is of all namespaces', (core) => {
    const namespaces = new Set<string>();
    return {
      create: (resource, options) => {
        namespaces.add(resource.metadata.namespace);
        return core.create(resource, options);
      },
      list: async (kind, options) => {
        const lists = [...new Set([kind.namespace, ...namespaces])].map((namespace) =>
          core.list({ namespace, type: kind.type }, options),
        );
        return (await Promise.all(lists)).flat();
      },
    };
  }),
];
