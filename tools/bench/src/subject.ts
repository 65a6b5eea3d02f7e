import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import { messageSpec } from '@cosi-ts/proto';
import { createTypeRegistry, defineResource, type Resource } from '@cosi-ts/resource';

/** Six texts and two numbers. */
const fields = ['name', 'image', 'host', 'zone', 'network', 'note', 'cpus', 'memory'];

const file = create(FileDescriptorProtoSchema, {
  name: 'bench.proto',
  package: 'bench',
  syntax: 'proto3',
  messageType: [
    {
      name: 'MachineSpec',
      field: fields.map((name, i) => ({
        name,
        number: i + 1,
        type: i < 6 ? FieldDescriptorProto_Type.STRING : FieldDescriptorProto_Type.INT32,
        label: FieldDescriptorProto_Label.OPTIONAL,
        jsonName: name,
      })),
    },
  ],
});
const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));

/** What is stored: two labels, and a protobuf spec of eight fields. The whole has about 350 bytes when it is encoded. */
export const Machine = defineResource({
  type: 'Machines.bench.cosi.dev',
  namespace: 'bench',
  spec: messageSpec(registry.getMessage('bench.MachineSpec') as DescMessage),
});

/** Knows the type, as that of a program does: the YAML of the spec is not stored. */
export const marshaler = protobufMarshaler({ types: createTypeRegistry([Machine]) });

export function machine(id: string, n: number): Resource {
  const spec = {
    name: `machine number ${n} of the benchmark`,
    image: 'registry.example.org/images/base:1.2.3',
    host: `host-${n % 97}.example.org`,
    zone: `zone-${n % 5}`,
    network: `10.${n % 200}.${n % 13}.0/24`,
    note: 'a note that somebody left, of a length that notes have',
    cpus: 4,
    memory: 16_384,
  };
  return Machine.new(id, spec as never, { labels: { tier: `tier-${n % 100}`, app: 'bench' } });
}
