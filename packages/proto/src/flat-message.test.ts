import { clone, create, createFileRegistry, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import { isInvalidArgument } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatCheck } from './flat-message.js';
import { MetadataSchema } from './gen/cosi/resource/resource_pb.js';
import { messageSpec } from './message-spec.js';

const file = create(FileDescriptorProtoSchema, {
  name: 'flat.proto',
  package: 'test',
  syntax: 'proto3',
  enumType: [{ name: 'Colour', value: [0, 1].map((number) => ({ name: `C${number}`, number })) }],
  messageType: [
    {
      name: 'Flat',
      oneofDecl: [{ name: '_maybe' }],
      field: [
        { name: 'text', type: Type.STRING },
        { name: 'flag', type: Type.BOOL },
        { name: 'int', type: Type.INT32 },
        { name: 'uint', type: Type.UINT32 },
        { name: 'colour', type: Type.ENUM, typeName: '.test.Colour' },
        { name: 'maybe', type: Type.STRING, oneofIndex: 0, proto3Optional: true },
      ].map((field, i) => ({ label: Label.OPTIONAL, number: i + 1, ...field })),
    },
  ],
});
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
const schema = registry.getMessage('test.Flat') as DescMessage;
const codec = messageSpec(schema);

/** What may be given for any field, fitting or not. */
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', undefined, null, Number.NaN, 2 ** 31, 2 ** 32, -1, 0.5, {}, []),
  fc.boolean(),
  fc.integer(),
  fc.bigInt(),
);
const valid = { text: 'x', flag: true, int: -1, uint: 2 ** 32 - 1, colour: 7, maybe: '' };

function copied(init: unknown) {
  return clone(schema, create(schema, init as MessageInitShape<DescMessage>));
}

describe('flat messages', () => {
  it('are what a copy of them would be, or are refused where it would be', () => {
    const keys = Object.keys(valid);
    const change = fc.tuple(fc.constantFrom(...keys), value);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 2 }), (changes) => {
        const init = { ...valid, ...Object.fromEntries(changes), other: 1 };
        let expected: unknown;
        try {
          expected = copied(init);
        } catch {
          // What the library refuses is refused here, with a way to the fault.
          expect(() => codec.parse(init)).toThrow(expect.toSatisfy(isInvalidArgument));
          return;
        }
        const parsed = codec.parse(init);
        expect(parsed).toEqual(expected);
        expect(Object.isFrozen(parsed)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('are checked without a copy when all fits', () => {
    const check = flatCheck(schema);
    expect(check?.(create(schema, valid as MessageInitShape<DescMessage>))).toBe(true);
    expect(check?.(create(schema, { ...valid, int: 2 ** 31 } as MessageInitShape<DescMessage>))).toBe(false);
  });

  it('are copied when they are messages of someone else already', () => {
    const message = create(schema, valid as MessageInitShape<DescMessage>);
    expect(codec.parse(message)).not.toBe(message);
    expect(Object.isFrozen(message)).toBe(false);
  });

  it('are no messages that hold others', () => {
    expect(flatCheck(MetadataSchema)).toBeUndefined();
  });
});
