import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressPlan } from './address-plan.js';

describe('address plan', () => {
  it('leaves out network, gateway and broadcast', () => {
    const plan = new AddressPlan('192.168.7.0/29');
    expect(plan.size).toBe(5);
    expect(plan.at(0)).toEqual({
      ip: '192.168.7.2',
      mac: '52:54:00:00:00:00',
      prefixLength: 29,
      gateway: '192.168.7.1',
    });
    expect(plan.at(4)).toMatchObject({ ip: '192.168.7.6', mac: '52:54:00:00:00:04' });
    expect(plan.indexOf('192.168.7.1')).toBeUndefined();
    expect(plan.indexOf('192.168.7.7')).toBeUndefined();
    expect(plan.indexOf('192.168.8.2')).toBeUndefined();
  });

  it('gives every number an address and a MAC of its own', () => {
    const plan = new AddressPlan('10.64.0.0/19');
    const all = Array.from({ length: plan.size }, (_, index) => plan.at(index));
    expect(plan.size).toBeGreaterThanOrEqual(4096);
    expect(new Set(all.map(({ ip }) => ip)).size).toBe(plan.size);
    expect(new Set(all.map(({ mac }) => mac)).size).toBe(plan.size);
    all.forEach(({ ip }, index) => {
      expect(plan.indexOf(ip)).toBe(index);
    });
  });

  it('finds a free address whenever there is one, and never a taken one', () => {
    const plan = new AddressPlan('10.0.0.0/28');
    const indices = fc.uniqueArray(fc.nat({ max: plan.size - 1 }));
    fc.assert(
      fc.property(indices, fc.nat(), fc.nat({ max: 20 }), (used, from, wanted) => {
        const taken = new Set(used.map((index) => plan.at(index).ip));
        const preferred = wanted < plan.size ? plan.at(wanted).ip : '10.9.9.9';
        const found = plan.free(taken, { from, preferred });
        if (used.length === plan.size) return found === undefined;
        if (wanted < plan.size && !used.includes(wanted)) return found === wanted;
        return found !== undefined && !used.includes(found);
      }),
    );
  });

  it('goes around: an address that was just given back is the last to be given again', () => {
    const plan = new AddressPlan('10.0.0.0/29');
    expect(plan.free(new Set(), { from: 3 })).toBe(3);
    expect(plan.free(new Set([plan.at(3).ip, plan.at(4).ip]), { from: 3 })).toBe(0);
  });

  it.each([
    '10.64.0.0',
    '10.64.0.0/30',
    '10.64.0.0/7',
    '10.64.0.256/24',
    '10.64.0.0/24/1',
    '',
    '10.64.0/24',
    'fe80::/64',
  ])('refuses %j', (cidr) => {
    expect(() => new AddressPlan(cidr)).toThrow('is no IPv4 network');
  });

  it('names the network that was meant', () => {
    expect(() => new AddressPlan('10.64.3.9/19')).toThrow('10.64.0.0/19 is');
  });
});
