import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { messageSpec } from './message-spec.js';
import { missingField } from './required-fields.js';
import { GaugeSchema } from './testdata/gen/vectors/test/gauges_pb.js';

const node = { type: Type.MESSAGE, label: Label.OPTIONAL, typeName: '.test.Node' };
const file = create(FileDescriptorProtoSchema, {
  name: 'test.proto',
  package: 'test',
  syntax: 'proto2',
  messageType: [
    {
      name: 'Node',
      oneofDecl: [{ name: 'choice' }],
      nestedType: [
        {
          name: 'MapEntry',
          options: { mapEntry: true },
          field: [
            { name: 'key', number: 1, type: Type.STRING, label: Label.OPTIONAL },
            { ...node, name: 'value', number: 2 },
          ],
        },
      ],
      field: [
        { name: 'text', number: 1, type: Type.STRING, label: Label.REQUIRED },
        { ...node, name: 'one', number: 2 },
        { ...node, name: 'list', number: 3, label: Label.REPEATED },
        { ...node, name: 'map', number: 4, label: Label.REPEATED, typeName: '.test.Node.MapEntry' },
        { ...node, name: 'chosen', number: 5, oneofIndex: 0 },
        { name: 'other', number: 6, type: Type.STRING, label: Label.OPTIONAL, oneofIndex: 0 },
      ].map((field) => ({ ...field, jsonName: field.name })),
    },
  ],
});
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
const codec = messageSpec(registry.getMessage('test.Node') as DescMessage);

describe('required fields', () => {
  it.each<[object, readonly (string | number)[]]>([
    [{}, ['text']],
    [{ text: 'x', one: {} }, ['one', 'text']],
    [{ text: 'x', list: [{ text: '' }, {}] }, ['list', 1, 'text']],
    [{ text: 'x', map: { k: {} } }, ['map', 'k', 'text']],
    [{ text: 'x', choice: { case: 'chosen', value: {} } }, ['choice', 'value', 'text']],
  ])('that are not set are refused: %o', (init, path) => {
    const refused = expect.objectContaining({ code: 'invalid-argument', path });
    expect(() => codec.parse(init as never)).toThrow(refused);
  });

  it('that are not set are refused in the printed form too', () => {
    expect(() => codec.fromJson({ text: 'x', one: {} })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', path: ['one', 'text'] }),
    );
  });

  it('that are set may be empty', () => {
    const spec = codec.parse({ text: '', one: { text: '' }, choice: { case: 'other', value: '' } } as never);
    expect(codec.fromJson(codec.toJson(spec))).toEqual(spec);
    expect(codec.binary?.encode(spec)).toEqual(Uint8Array.of(0x0a, 0, 0x12, 2, 0x0a, 0, 0x32, 0));
  });

  it('are looked for only where there can be some', () => {
    expect(missingField(GaugeSchema)).toBeUndefined();
  });
});
