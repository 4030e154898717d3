export type { CalendarCapability, FreeTimes, InvitationReply, MeetingWanted } from './capabilities/calendar.ts';
export type { CallbackCapability } from './capabilities/callback.ts';
export type { DelegationCapability } from './capabilities/delegation.ts';
export type {
  KnowledgeCapability,
  KnowledgeFound,
  KnowledgeHitShown,
  KnowledgeText,
  WholeKnowledge,
} from './capabilities/knowledge.ts';
export type { KeptFact, MemoryCapability, WantedFact } from './capabilities/memory.ts';
export type { OwnersCapability } from './capabilities/owners.ts';
export type { KeptPlaybook, PlaybookProposal, PlaybooksCapability } from './capabilities/playbooks.ts';
export type { KeptRule, RulesCapability, WantedRule } from './capabilities/rules.ts';
export type {
  TableAnswer,
  TableAnswerRow,
  TableCondition,
  TableFile,
  TableFileFormat,
  TableOperator,
  TableQuery,
  TablesCapability,
} from './capabilities/tables.ts';
export { DATE_STYLES, NUMBER_STYLES, TABLE_FILES, TABLE_OPERATORS } from './capabilities/tables.ts';
export type { CallThatWaits, SettledCall, WaitingCapability } from './capabilities/waiting.ts';
export type { DocumentPage, ReadablePage, WebApiCall, WebCapability, WebPage } from './capabilities/web.ts';
export type {
  ArtifactPage,
  ArtifactsCapability,
  AttachmentPage,
  Capabilities,
  CapabilityName,
  FilesCapability,
  FoundMail,
  FoundMails,
  KeptFile,
  MailCapability,
  MailHit,
  MailPart,
  MailQuery,
  OpenedMail,
  OutgoingCapability,
  RefusedSender,
  ScheduleCapability,
  ShellCapability,
  ShellResult,
  TaskChange,
  WrittenMail,
} from './capabilities.ts';
export { CAPABILITY_NAMES } from './capabilities.ts';
export type { CheckedAnswer, Finding } from './check.ts';
export type { CallReason, EngineCode, ErrorCode, PolicyCode, ProviderCode, Retry, ToolCode, Whose } from './errors.ts';
export { CALL_REASONS, EngineError } from './errors.ts';
export type {
  HookCapabilities,
  HookCapabilityName,
  HookContext,
  HookDefinition,
} from './hook.ts';
export { defineHook, HOOK_CAPABILITY_NAMES } from './hook.ts';
export type { HookEvent, HookEventName } from './hook-events.ts';
export { HOOK_EVENT_NAMES } from './hook-events.ts';
export type { Json, JsonObject, JsonSchema } from './json.ts';
export type { Log } from './log.ts';
export type { Preview, PreviewFile } from './preview.ts';
export type {
  ContentPart,
  GenerateRequest,
  GenerateResponse,
  HarnessProviderAdapter,
  ListedModel,
  ModelInfo,
  ModelMessage,
  ProviderDefinition,
  ProviderParts,
  TokenPrice,
  ToolCall,
  ToolResult,
  ToolSpec,
  Usage,
} from './provider.ts';
export { defineProvider } from './provider.ts';
export type {
  Piece,
  PieceKind,
  Resolved,
  ResolverCapabilities,
  ResolverCapabilityName,
  ResolverDefinition,
  ResolverInput,
  ResolverMessage,
} from './resolver.ts';
export { defineResolver, RESOLVER_CAPABILITY_NAMES } from './resolver.ts';
export type { RestrictedCall, RestrictedRun, RestrictedTool, Restriction } from './restrict.ts';
export type { Continuation, Freshness, Provenance } from './result-facts.ts';
export type { Asks, AtHand, Effects, Pending, ReceiptEntry, Risk, Scope, ToolContext, ToolDefinition } from './tool.ts';
export { AT_HAND, defineTool, MAX_PENDING_S } from './tool.ts';
