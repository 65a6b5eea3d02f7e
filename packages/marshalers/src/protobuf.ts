export { type ProtobufMarshalerOptions, protobufMarshaler } from './protobuf-marshaler.js';
