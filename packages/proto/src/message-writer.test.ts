import {
  clone,
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceDefinitionSpecSchema } from './gen/cosi/resource/meta/meta_pb.js';
import { EventSchema, ListRequestSchema } from './gen/cosi/resource/state_pb.js';
import { messageEncoder } from './message-writer.js';

const list = Label.REPEATED;
const nested = '.test.Node';

/** Every kind of field that is written here, in an order that is not that of the numbers. */
const file = create(FileDescriptorProtoSchema, {
  name: 'test.proto',
  package: 'test',
  syntax: 'proto3',
  enumType: [{ name: 'Colour', value: [0, 1, 2].map((number) => ({ name: `C${number}`, number })) }],
  messageType: [
    {
      name: 'Node',
      oneofDecl: [{ name: 'choice' }, { name: '_maybe' }],
      nestedType: [
        {
          name: 'LabelsEntry',
          options: { mapEntry: true },
          field: ['key', 'value'].map((name, i) => ({ name, number: i + 1, type: Type.STRING, label: Label.OPTIONAL })),
        },
      ],
      field: [
        { name: 'text', number: 20, type: Type.STRING },
        { name: 'flag', number: 2, type: Type.BOOL },
        { name: 'int', number: 3, type: Type.INT32 },
        { name: 'uint', number: 4, type: Type.UINT32 },
        { name: 'long', number: 5, type: Type.INT64 },
        { name: 'ulong', number: 6, type: Type.UINT64 },
        { name: 'colour', number: 7, type: Type.ENUM, typeName: '.test.Colour' },
        { name: 'child', number: 8, type: Type.MESSAGE, typeName: nested },
        { name: 'texts', number: 9, type: Type.STRING, label: list },
        { name: 'children', number: 1, type: Type.MESSAGE, typeName: nested, label: list },
        { name: 'labels', number: 3000, type: Type.MESSAGE, typeName: '.test.Node.LabelsEntry', label: list },
        { name: 'number', number: 12, type: Type.INT32, oneofIndex: 0 },
        { name: 'node', number: 13, type: Type.MESSAGE, typeName: nested, oneofIndex: 0 },
        { name: 'maybe', number: 14, type: Type.STRING, oneofIndex: 1, proto3Optional: true },
      ].map((field) => ({ label: Label.OPTIONAL, ...field })),
    },
  ],
});
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
const NodeSchema = registry.getMessage('test.Node') as DescMessage;

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.constant(''));
const int32 = fc.oneof(fc.integer(), fc.integer({ min: -1, max: 1 }));
const { node } = fc.letrec<{ node: Record<string, unknown> }>((tie) => ({
  node: fc.record(
    {
      text,
      flag: fc.boolean(),
      int: int32,
      uint: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      ulong: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      colour: fc.integer({ min: 0, max: 2 }),
      child: fc.option(tie('node'), { nil: undefined, depthSize: 'small' }),
      texts: fc.array(text, { maxLength: 4 }),
      children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('node'), { maxLength: 2 })),
      labels: fc.dictionary(text, text, { maxKeys: 3 }),
      choice: fc.oneof(
        { depthSize: 'small' },
        fc.record({ case: fc.constant('number'), value: int32 }),
        fc.record({ case: fc.constant('node'), value: tie('node') }),
      ),
      maybe: text,
    },
    { requiredKeys: [] },
  ),
}));

function made(schema: DescMessage, init: unknown): Message {
  return clone(schema, create(schema, init as MessageInitShape<DescMessage>));
}

describe('messageEncoder', () => {
  const encode = messageEncoder(NodeSchema);

  it('encodes every kind of field as the protobuf library does', () => {
    fc.assert(
      fc.property(node, (init) => {
        const message = made(NodeSchema, init);
        expect(encode?.(message)).toEqual(toBinary(NodeSchema, message));
      }),
    );
  });

  it('keeps fields that the schema does not know', () => {
    const unknown = Uint8Array.of(0xfa, 0x3f, 2, 7, 8, 0xf9, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8);
    const message = fromBinary(NodeSchema, unknown);
    expect(encode?.(message)).toEqual(unknown);
  });

  it('goes on after a message that is none', () => {
    expect(() => encode?.({ $typeName: 'test.Node' })).toThrow(TypeError);
    expect(encode?.(made(NodeSchema, { text: 'x' }))).toEqual(Uint8Array.of(0xa2, 1, 1, 120));
  });

  it.each([
    [
      ResourceDefinitionSpecSchema,
      { resourceType: 'A', aliases: ['b'], printColumns: [{ name: 'c' }], sensitivity: 1 },
    ],
    [ListRequestSchema, { namespace: 'n', options: { labelQuery: [{ terms: [{ key: 'k', value: ['v'] }] }] } }],
    [TimestampSchema, { seconds: -1n, nanos: 5 }],
  ] as [DescMessage, unknown][])('encodes $typeName', (schema, init) => {
    const message = made(schema, init);
    expect(messageEncoder(schema)?.(message)).toEqual(toBinary(schema, message));
  });

  it.each([EventSchema, StructSchema, StringValueSchema])('leaves $typeName to the library', (schema) => {
    expect(messageEncoder(schema)).toBeUndefined();
  });
});
