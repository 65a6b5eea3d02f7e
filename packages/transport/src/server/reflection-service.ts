import { create, type DescService, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, type ServiceImpl } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { DescribedFiles, encodedFiles } from './described-files.js';
import { notedStream } from './noted.js';
import { statusText } from './status-text.js';

type Answer = NonNullable<MessageInitShape<typeof wire.ServerReflectionResponseSchema>['messageResponse']>;

/** gRPC's server reflection: what is served, for programs that know no `.proto` files. */
export function reflectionService(services: readonly DescService[]): ServiceImpl<typeof wire.ServerReflection> {
  const files = new DescribedFiles(services);
  const answers = async function* (requests: AsyncIterable<wire.ServerReflectionRequest>) {
    for await (const request of requests) {
      const messageResponse = answer(request.messageRequest, files, services);
      yield create(wire.ServerReflectionResponseSchema, {
        validHost: request.host,
        originalRequest: request,
        messageResponse,
      });
    }
  };
  return { serverReflectionInfo: (requests, context) => notedStream(context, answers(requests)) };
}

/** The first edition, whose messages differ in their names only. */
export function reflectionServiceV1alpha(
  services: readonly DescService[],
): ServiceImpl<typeof wire.ServerReflectionV1alpha> {
  const { input, output } = wire.ServerReflectionV1alpha.method.serverReflectionInfo;
  const { serverReflectionInfo } = reflectionService(services);
  return {
    async *serverReflectionInfo(requests, context) {
      const renamed = (async function* () {
        for await (const request of requests) {
          yield fromBinary(wire.ServerReflectionRequestSchema, toBinary(input, request));
        }
      })();
      for await (const response of serverReflectionInfo(renamed, context)) {
        const made = create(wire.ServerReflectionResponseSchema, response);
        yield fromBinary(output, toBinary(wire.ServerReflectionResponseSchema, made));
      }
    },
  };
}

function answer(
  question: wire.ServerReflectionRequest['messageRequest'],
  files: DescribedFiles,
  services: readonly DescService[],
): Answer {
  switch (question.case) {
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: { service: services.map(({ typeName }) => ({ name: typeName })) },
      };
    case 'fileByFilename':
      return fileAnswer(files.named(question.value), question.value);
    case 'fileContainingSymbol':
      return fileAnswer(files.containing(question.value), question.value);
    case 'allExtensionNumbersOfType':
      return files.containing(question.value) === undefined
        ? absent(question.value)
        : { case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value } };
    case 'fileContainingExtension':
      return absent(`extension ${question.value.extensionNumber} of ${question.value.containingType}`);
    default:
      return failure(Code.InvalidArgument, 'the request asks for nothing');
  }
}

function fileAnswer(file: ReturnType<DescribedFiles['named']>, name: string): Answer {
  if (file === undefined) return absent(name);
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: encodedFiles(file) } };
}

function absent(name: string): Answer {
  return failure(Code.NotFound, `${name} is not known here`);
}

function failure(errorCode: Code, text: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage: statusText(text) } };
}
