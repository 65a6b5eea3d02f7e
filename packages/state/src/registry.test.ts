import { defineResource, NamespaceType, ResourceDefinitionType } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { registerNamespace, registerType } from './registry.js';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';

const options = { type: 'Disks.test.cosi.dev', namespace: 'test' };
const Disk = defineResource(options);

describe('the registry', () => {
  it('R11: publishes namespaces and types in namespace meta, owned by meta', async () => {
    const state = wrapState(new ScriptedCore());
    const namespace = await registerNamespace(state, 'test', 'for tests');
    expect(namespace.metadata).toMatchObject({
      namespace: 'meta',
      type: 'Namespaces.meta.cosi.dev',
      id: 'test',
      owner: 'meta',
    });
    expect(namespace.spec).toEqual({ description: 'for tests' });
    const definition = await registerType(state, Disk);
    expect(definition.metadata).toMatchObject({ namespace: 'meta', id: 'disks.test.cosi.dev', owner: 'meta' });
    expect((await state.get(ResourceDefinitionType.at('disks.test.cosi.dev'))).spec.displayType).toBe('Disk');
  });

  it('R11: publishing the same again writes nothing, a change is written', async () => {
    const state = wrapState(new ScriptedCore());
    await registerType(state, Disk);
    expect((await registerType(state, Disk)).metadata.version).toBe(1n);
    const changed = await registerType(state, defineResource({ ...options, aliases: ['d'] }));
    expect(changed.metadata.version).toBe(2n);
    expect(changed.spec.aliases).toContain('d');
    await registerNamespace(state, 'test');
    await registerNamespace(state, 'test', 'described');
    expect((await state.get(NamespaceType.at('test'))).spec.description).toBe('described');
  });

  it('R10: a type whose name breaks a rule is refused', async () => {
    const state = wrapState(new ScriptedCore());
    await expect(registerType(state, defineResource({ type: 'disk', namespace: 'test' }))).rejects.toThrow('disk');
  });
});
