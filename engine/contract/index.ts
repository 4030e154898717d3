export type {
  ArtifactPage,
  ArtifactsCapability,
  AttachmentPage,
  Capabilities,
  CapabilityName,
  FilesCapability,
  FoundMail,
  MailCapability,
  OutgoingCapability,
  ReadablePage,
  ScheduleCapability,
  ShellCapability,
  ShellResult,
  TaskChange,
  WebCapability,
  WebPage,
  WrittenMail,
} from './capabilities.ts';
export type { EngineCode, ErrorCode, PolicyCode, ProviderCode, Retry, ToolCode } from './errors.ts';
export { EngineError } from './errors.ts';
export type { HookDefinition, HookEvent, HookEventName } from './hook.ts';
export { defineHook } from './hook.ts';
export type { Json, JsonObject, JsonSchema } from './json.ts';
export type { Log } from './log.ts';
export type {
  ContentPart,
  GenerateRequest,
  GenerateResponse,
  HarnessProviderAdapter,
  ModelInfo,
  ModelMessage,
  ProviderDefinition,
  ProviderParts,
  ToolCall,
  ToolResult,
  ToolSpec,
  Usage,
} from './provider.ts';
export { defineProvider } from './provider.ts';
export type { Resolved, ResolverCapabilities, ResolverDefinition, ResolverInput, ResolverMessage } from './resolver.ts';
export { defineResolver } from './resolver.ts';
export type { Effects, Preview, PreviewFile, ReceiptEntry, Risk, Scope, ToolContext, ToolDefinition } from './tool.ts';
export { defineTool } from './tool.ts';
