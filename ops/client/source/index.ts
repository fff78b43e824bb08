/** `@sluice/client`: the typed client of Sluice, for browsers and Node. */
export { type Auth, type Credentials, createAuth, type Registration } from './auth.ts';
export { type Client, createClient } from './client.ts';
export type { Transfers } from './collection.ts';
export * from './errors.ts';
export type {
  Assets,
  FileColumns,
  SignedUrl,
  Transformation,
  UploadOptions,
  Uploads,
} from './file.ts';
export type { Graphql, GraphqlDocument, GraphqlOptions } from './graphql.ts';
export type {
  CollectionItems,
  Items,
  Meta,
  Page,
  Selection,
  Tagged,
  UpsertOptions,
} from './items.ts';
export { createItems } from './items.ts';
export type {
  ChangedJobs,
  ChosenJobs,
  Job,
  JobProgress,
  JobQuery,
  JobState,
  Jobs,
  UndoneImport,
  UndoOptions,
} from './job.ts';
export type { Change, SubscribeOptions } from './live.ts';
export type {
  Action,
  ActionRights,
  ItemRights,
  Me,
  OwnAccess,
  OwnConfirmation,
  OwnRights,
  OwnSession,
  TfaSecret,
} from './me.ts';
export type {
  CallOptions,
  ClientOptions,
  JobOptions,
  Mode,
  RetryOptions,
  Socket,
  SocketClass,
  TokenStorage,
  Tokens,
  WriteOptions,
} from './options.ts';
export type { Key } from './path.ts';
export type { LooseField, LooseQuery } from './query.ts';
export type { ProcessCounts, Queue, QueueInterval, QueueStatistics, Queues } from './queue.ts';
export type {
  ChangeOptions,
  FieldPart,
  NewCollection,
  NewField,
  NewRelation,
  RelationPart,
  SchemaDiff,
  SchemaPart,
  Schemas,
  SnapshotOptions,
} from './schema.ts';
export type { Health, Server, ServerInfo } from './server.ts';
export { createSession, type Session, type SessionState } from './session.ts';
export { memoryStorage, webStorage } from './storage.ts';
export type {
  ExportedFile,
  ExportFormat,
  ExportOptions,
  FieldFormat,
  ImportedObjects,
  ImportFaultGroup,
  ImportOptions,
  ImportReference,
  ImportResult,
  ImportSource,
  ObjectsToImport,
  Run,
  Step,
} from './transfer.ts';
export { createTransport, type RequestOptions, type Transport } from './transport.ts';
export type { ResumableOptions } from './tus.ts';
export type * from './types/index.ts';
export type { Content, FileInput, UploadProgress } from './upload.ts';
export type { Utilities } from './utility.ts';
