import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocols } from '../testdata/protocols.js';
import { bearerTokens } from './bearer-tokens.js';
import { type StateServer, serveState } from './serve-state.js';

let server: StateServer;

beforeAll(async () => {
  server = await serveState(new InMemoryState(), {
    address: '127.0.0.1:0',
    authenticate: bearerTokens({ secret: 'alice' }),
  });
});

afterAll(() => server.close());

type Question = wire.ServerReflectionRequest['messageRequest'];

const transport = (headers: Record<string, string>) => protocols['gRPC over HTTP/2']({ url: server.url, headers });

async function ask(
  service: typeof wire.ServerReflection | typeof wire.ServerReflectionV1alpha,
  ...questions: readonly Question[]
): Promise<readonly wire.ServerReflectionResponse['messageResponse'][]> {
  const client = createClient(service as typeof wire.ServerReflection, transport({ authorization: 'Bearer secret' }));
  const requests = (async function* () {
    for (const messageRequest of questions) yield { host: 'here', messageRequest };
  })();
  const answers: wire.ServerReflectionResponse['messageResponse'][] = [];
  for await (const { messageResponse, validHost, originalRequest } of client.serverReflectionInfo(requests)) {
    expect(validHost).toBe('here');
    expect(originalRequest?.messageRequest).toEqual(questions[answers.length]);
    answers.push(messageResponse);
  }
  return answers;
}

describe.each([
  ['v1', wire.ServerReflection],
  ['v1alpha', wire.ServerReflectionV1alpha],
] as const)('reflection %s', (edition, service) => {
  it('tells the services, and gives all that is needed to call them', async () => {
    const [listed, described] = await ask(
      service,
      { case: 'listServices', value: '' },
      { case: 'fileContainingSymbol', value: 'cosi.resource.State' },
    );
    const names = ['cosi.resource.State', 'grpc.health.v1.Health', `grpc.reflection.${edition}.ServerReflection`];
    expect(listed).toMatchObject({ case: 'listServicesResponse', value: { service: names.map((name) => ({ name })) } });
    if (described?.case !== 'fileDescriptorResponse') throw new Error(`it is ${described?.case}`);
    const file = described.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    expect(file.map(({ name }) => name)).toEqual([
      'cosi/resource/state.proto',
      'cosi/resource/resource.proto',
      'google/protobuf/timestamp.proto',
    ]);
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.reverse() }));
    expect(registry.getService('cosi.resource.State')?.methods.map(({ name }) => name)).toContain('TeardownAndDestroy');
  });

  it.each([
    'cosi.resource.State.Get',
    'cosi.resource.WatchRequest',
    'cosi.resource.WatchRequest.api_version',
    'cosi.resource.EventType',
    'cosi.resource.BOOTSTRAPPED',
    'cosi.resource.LabelTerm.Operation',
    'cosi.resource.LabelTerm.NOT_EXISTS',
  ])('knows where %s is', async (value) => {
    const [answer] = await ask(service, { case: 'fileContainingSymbol', value });
    if (answer?.case !== 'fileDescriptorResponse') throw new Error(`it is ${answer?.case}`);
    const [first] = answer.value.fileDescriptorProto;
    expect(fromBinary(FileDescriptorProtoSchema, first as Uint8Array).name).toBe('cosi/resource/state.proto');
  });

  it('knows files by their names, and says what it does not know', async () => {
    const answers = await ask(
      service,
      { case: 'fileByFilename', value: 'google/protobuf/timestamp.proto' },
      { case: 'fileByFilename', value: '../../etc/passwd' },
      { case: 'fileContainingSymbol', value: 'cosi.resource.Secret' },
      { case: 'allExtensionNumbersOfType', value: 'cosi.resource.Resource' },
      { case: 'allExtensionNumbersOfType', value: 'x'.repeat(10_000) },
      { case: undefined },
    );
    expect(answers.map((answer) => (answer.case === 'errorResponse' ? answer.value.errorCode : answer.case))).toEqual([
      'fileDescriptorResponse',
      Code.NotFound,
      Code.NotFound,
      'allExtensionNumbersResponse',
      Code.NotFound,
      Code.InvalidArgument,
    ]);
    const longest = answers[4];
    expect(longest?.case === 'errorResponse' && longest.value.errorMessage.length <= 2048).toBe(true);
  });

  it('N8: is not for those who are not known', async () => {
    const client = createClient(service as typeof wire.ServerReflection, transport({}));
    const refused = (async () => {
      for await (const _ of client.serverReflectionInfo((async function* () {})())) throw new Error('an answer');
    })();
    expect(ConnectError.from(await refused.catch((error: unknown) => error)).code).toBe(Code.Unauthenticated);
  });
});
