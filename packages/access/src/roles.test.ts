import { InvalidArgumentError, YamlError } from '@cosi-ts/resource';
import { type Access, verbs } from '@cosi-ts/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Roles, type RolesInput } from './roles.js';

const access = (verb: keyof typeof verbs, namespace: string, type: string, id?: string): Access => ({
  verb: verbs[verb],
  namespace,
  type,
  ...(id !== undefined && { id }),
});

const text = `
# Who may do what.
roles:
  operator:
    - verbs: ['*']
      namespaces: [vms]
      types: [VMs.test, Disks.test]
    - verbs: [readonly]
      namespaces: ['*']
      types: ['*']
  web:
    - verbs: [get, update, watch, list]
      namespaces: [vms]
      types: [VMs.test]
      ids: ['web-[0-9]+', special]
  known:
    - { verbs: [get], namespaces: [meta], types: ['*'] }
bindings:
  alice: [operator]
  bob: [web]
  yes: [web, operator]
  '*': [known]
`;

describe('Roles', () => {
  const roles = Roles.parse(text);

  it.each<[string | undefined, Access, boolean]>([
    ['alice', access('destroy', 'vms', 'VMs.test', 'x'), true],
    ['alice', access('create', 'vms', 'Disks.test', 'x'), true],
    ['alice', access('watch', 'vms', 'Disks.test'), true],
    ['alice', access('create', 'vms', 'Nets.test', 'x'), false],
    ['alice', access('create', 'vm', 'VMs.test', 'x'), false],
    ['alice', access('list', 'other', 'Any.test'), true],
    ['alice', access('update', 'other', 'Any.test', 'x'), false],
    ['bob', access('get', 'vms', 'VMs.test', 'web-12'), true],
    ['bob', access('watch', 'vms', 'VMs.test', 'special'), true],
    ['bob', access('destroy', 'vms', 'VMs.test', 'web-12'), false],
    ['bob', access('get', 'vms', 'VMs.test', 'db-1'), false],
    ['yes', access('destroy', 'vms', 'VMs.test', 'web-12'), true],
    ['bob', access('get', 'meta', 'Any.test', 'x'), true],
    ['nobody-in-particular', access('get', 'meta', 'Any.test', 'x'), true],
    ['nobody-in-particular', access('list', 'meta', 'Any.test'), false],
    ['*', access('get', 'meta', 'Any.test', 'x'), true],
    ['*', access('list', 'vms', 'VMs.test'), false],
    [undefined, access('get', 'meta', 'Any.test', 'x'), false],
    ['', access('get', 'meta', 'Any.test', 'x'), false],
    ['__proto__', access('list', 'vms', 'VMs.test'), false],
    ['constructor', access('list', 'vms', 'VMs.test'), false],
  ])('A1: %s, %o: %s', (identity, asked, expected) => {
    expect(roles.allows(identity, asked)).toBe(expected);
  });

  it('A1: an id must be matched as a whole', () => {
    for (const id of ['my-web-1', 'web-1x', 'web-1\n', '\nweb-1', 'web-1\nspecial', 'web-', 'specials', '']) {
      expect(roles.allows('bob', access('get', 'vms', 'VMs.test', id))).toBe(false);
    }
  });

  it('A1: a quote that a pattern leaves open ends with it', () => {
    const made = Roles.from({
      roles: { r: [{ verbs: ['get'], namespaces: ['*'], types: ['*'], ids: ['\\Qa.b'] }] },
      bindings: { a: ['r'] },
    });
    const allowed = ['a.b', 'axb', 'a.b)', 'a.bc', 'xa.b'].filter((id) =>
      made.allows('a', access('get', 'n', 'T', id)),
    );
    expect(allowed).toEqual(['a.b']);
  });

  it('A1: only a text can be parsed', () => {
    for (const input of [undefined, 5, new TextEncoder().encode('roles: {}')]) {
      expect(() => Roles.parse(input as never)).toThrow(TypeError);
    }
  });

  it('A1: who may see some ids may not list or watch the kind', () => {
    expect(roles.allows('bob', access('list', 'vms', 'VMs.test'))).toBe(false);
    expect(roles.allows('bob', access('watch', 'vms', 'VMs.test'))).toBe(false);
  });

  it('objects say the same', () => {
    const input: RolesInput = {
      roles: { web: [{ verbs: ['get'], namespaces: ['vms'], types: ['*'], ids: ['(a|b)', 'c+'] }] },
      bindings: { bob: ['web'], carol: [] },
    };
    const given = Roles.from(input);
    for (const id of ['a', 'b', 'ccc']) expect(given.allows('bob', access('get', 'vms', 'T', id))).toBe(true);
    for (const id of ['ab', 'd']) expect(given.allows('bob', access('get', 'vms', 'T', id))).toBe(false);
    expect(given.allows('carol', access('get', 'vms', 'T', 'a'))).toBe(false);
  });

  it('A1: what no role allows is denied, whatever is asked', () => {
    const names: fc.Arbitrary<string> = fc.constantFrom('a', 'b', '*', '');
    const verbNames = fc.constantFrom(...(Object.keys(verbs) as (keyof typeof verbs)[]));
    const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 2 });
    const real: fc.Arbitrary<string> = fc.constantFrom('a', 'b');
    const rule = fc.record({ verbs: list(verbNames), namespaces: list(real), types: list(real) });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), names, verbNames, names, names, (rules, who, verb, ns, type) => {
        const made = Roles.from({ roles: { r: rules }, bindings: { a: ['r'] } });
        const expected =
          who === 'a' &&
          rules.some((each) => each.verbs.includes(verb) && each.namespaces.includes(ns) && each.types.includes(type));
        expect(made.allows(who, access(verb, ns, type, 'x'))).toBe(expected);
      }),
    );
  });
});

describe('faults', () => {
  const rule = (fields: string, mark = '') => `roles:\n  r:\n    - ${mark}{${fields}}\nbindings: {}\n`;
  const good = "verbs: [get], namespaces: ['*'], types: ['*']";

  // Where the fault is, a ¶ stands.
  it.each<[string, string, RegExp]>([
    ['nothing', '¶', /nothing here: write `roles:` and `bindings:`/],
    ['a comment only', '¶# later\n', /nothing here/],
    ['a bare star', 'roles:\n  r:\n    - verbs: [¶*]\n', /write '\*'/],
    ['no YAML', 'roles: [¶', /flow/i],
    ['a key twice', 'roles: {}\n¶roles: {}\n', /unique/],
    ['two documents', 'roles: {}\nbindings: {}\n¶---\nroles: {}\n', /one document/],
    ['an unknown field', '¶role: {}\nbindings: {}\n', /no field "role": write one of roles, bindings/],
    ['no roles', '¶bindings: {}\n', /roles is missing: write roles:/],
    ['no bindings', '¶roles: {}\n', /bindings is missing/],
    ['a role that is no list', 'roles:\n  r: ¶all\nbindings: {}\n', /role r must be a list, not the text "all"/],
    ['a role of nothing', 'roles:\n  r:¶\nbindings: {}\n', /role r must be a list, not nothing/],
    ['a rule that is none', 'roles:\n  r: [¶get]\nbindings: {}\n', /a rule must be a mapping/],
    ['an unknown field of a rule', rule('¶verb: [get]'), /no field "verb": write one of verbs, namespaces/],
    ['no verbs', rule("namespaces: ['*'], types: ['*']", '¶'), /verbs is missing: write verbs: \[readonly\]/],
    ['no namespaces', rule("verbs: [get], types: ['*']", '¶'), /namespaces is missing: write namespaces: \['\*'\]/],
    ['no types', rule("verbs: [get], namespaces: ['*']", '¶'), /types is missing/],
    ['an unknown verb', rule(good.replace('get', '¶read')), /no verb "read": write one of get, list.*readonly/],
    ['no verb in the list', rule(good.replace('[get', '¶[')), /verbs is empty/],
    ['a star among others', rule(good.replace('get', "get, ¶'*'")), /'\*' means all verbs/],
    ['part of a name', rule(good.replace("types: ['*']", 'types: [¶VM*]')), /"VM\*" is no name: write whole names/],
    ['an empty name', rule(good.replace("types: ['*']", "types: [¶'']")), /cannot be empty/],
    ['a bad pattern', rule(`${good}, ids: [¶'a(']`), /RE2/],
    ['a pattern that closes what is around it', rule(`${good}, ids: [¶'a)|(b']`), /unexpected \)/],
    ['an empty pattern', rule(`${good}, ids: [¶'']`), /a pattern cannot be empty/],
    ['an unknown role', 'roles:\n  r: []\nbindings:\n  a: [r, ¶s]\n', /no role "s": write one of r/],
    ['an unknown role where there is none', 'roles: {}\nbindings:\n  a: [¶s]\n', /no role "s": there are none/],
    ['a binding that is no list', 'roles: {}\nbindings:\n  a: ¶s\n', /the roles of a must be a list/],
    ['an empty identity', "roles: {}\nbindings:\n  ¶'': []\n", /write '\*' for everyone/],
  ])('%s', (_what, marked, message) => {
    const before = marked.slice(0, marked.indexOf('¶')).split('\n');
    const parse = () => Roles.parse(marked.replace('¶', ''));
    expect(parse).toThrow(YamlError);
    expect(parse).toThrow(message);
    const position = { line: before.length, column: (before.at(-1) as string).length + 1 };
    expect(parse).toThrow(expect.objectContaining({ ...position, code: 'invalid-argument' }));
  });

  it('YAML may say a thing once', () => {
    const roles = Roles.parse(`
roles:
  r: &all
    - {verbs: &v [get], namespaces: ['*'], types: ['*']}
  s: *all
bindings: {a: [s]}
`);
    expect(roles.allows('a', access('get', 'n', 'T', 'x'))).toBe(true);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^the description must be an object, not nothing$/],
    ['a list', [], /^the description must be an object, not a list$/],
    [
      'a verb',
      { roles: { r: [{ verbs: ['x'], namespaces: ['*'], types: ['*'] }] }, bindings: {} },
      /^roles\.r\[0\]\.verbs\[0\]: /,
    ],
    ['a number', { roles: { r: [{ verbs: [1], namespaces: ['*'], types: ['*'] }] }, bindings: {} }, /not the number 1/],
    ['a role', { roles: {}, bindings: { a: ['r'] } }, /^bindings\.a\[0\]: there is no role "r"/],
    ['a Map', { roles: new Map(), bindings: {} }, /^roles: roles must be an object, not a Map$/],
    [
      'an item that is left out',
      { roles: { r: [{ verbs: new Array(1), namespaces: ['*'], types: ['*'] }] }, bindings: {} },
      /^roles\.r\[0\]\.verbs\[0\]: .* not nothing$/,
    ],
    ['a field', { roles: {}, bindings: {}, extra: 1 }, /^extra: the description has no field "extra"/],
  ])('in objects: %s', (_what, input, message) => {
    const make = () => Roles.from(input as RolesInput);
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(message);
  });
});
