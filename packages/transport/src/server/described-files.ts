import { type DescEnum, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** The `.proto` files of some services, by their names and by what is in them. */
export class DescribedFiles {
  readonly #byName = new Map<string, DescFile>();
  readonly #bySymbol = new Map<string, DescFile>();

  constructor(services: readonly DescService[]) {
    for (const { file } of services) for (const each of withImports(file)) this.#add(each);
  }

  named(name: string): DescFile | undefined {
    return this.#byName.get(name);
  }

  /** @param symbol the full name of a service, a method, a message, a field, an enum or a value of one */
  containing(symbol: string): DescFile | undefined {
    return this.#bySymbol.get(symbol);
  }

  #add(file: DescFile): void {
    this.#byName.set(file.proto.name, file);
    for (const type of nestedTypes(file)) {
      this.#bySymbol.set(type.typeName, file);
      for (const name of memberNames(type)) this.#bySymbol.set(name, file);
    }
  }
}

/** The file and what it needs to be understood, encoded, itself first. */
export function encodedFiles(file: DescFile): Uint8Array[] {
  return [...withImports(file)].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
}

function withImports(file: DescFile): ReadonlySet<DescFile> {
  const files = new Set([file]);
  // A set is walked to its end, also when it grows meanwhile.
  for (const each of files) for (const imported of each.dependencies) files.add(imported);
  return files;
}

function memberNames(type: ReturnType<typeof nestedTypes> extends Iterable<infer T> ? T : never): string[] {
  switch (type.kind) {
    case 'message':
      return [...type.fields, ...type.oneofs].map(({ name }) => `${type.typeName}.${name}`);
    case 'service':
      return type.methods.map(({ name }) => `${type.typeName}.${name}`);
    case 'enum':
      return type.values.map(({ name }) => scopeOf(type) + name);
    default:
      return [];
  }
}

/** The names of the values of an enum stand beside it. */
function scopeOf({ typeName }: DescEnum): string {
  return typeName.slice(0, typeName.lastIndexOf('.') + 1);
}
