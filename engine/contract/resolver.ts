import type { z } from 'zod';
import type { Json } from './json.ts';
import type { ModelMessage } from './provider.ts';

/** Where a section goes: the byte-stable system prefix, the history, or the last user block. */
export type Resolved =
  | { readonly slot: 'stable'; readonly text: string }
  | { readonly slot: 'volatile'; readonly text: string }
  | { readonly slot: 'history'; readonly messages: readonly ModelMessage[] };

export interface ResolverMessage {
  readonly messageId: string;
  readonly subject: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly tier: string;
  /** ISO 8601 UTC. */
  readonly receivedAt: string;
  readonly newText: string;
  readonly quotedText: string;
  readonly forwardedText: string;
  /** Lines such as `[attachment a1] plan.txt, text/plain, 120 bytes`. */
  readonly attachments: readonly string[];
  /** What the parser had to leave out, in words. */
  readonly limitations: readonly string[];
  /** Of a run that the schedule started: when it was due, and how the run before ended, in words. */
  readonly task?: { readonly dueAt: string; readonly timezone: string; readonly previous: string | null };
}

export interface ResolverInput {
  readonly argument: string | null;
  readonly persona: { readonly id: string; readonly name: string; readonly address: string; readonly timezone: string };
  readonly thread: { readonly id: string; readonly kind: 'thread' | 'task'; readonly messageCount: number };
  readonly message: ResolverMessage;
  readonly budgetTokens: number;
  readonly config: Json;
}

export interface ResolverCapabilities {
  /** Text of a workspace file, confined to the workspace; null when it does not exist. */
  readFile(path: string): Promise<string | null>;
  /** Names in a workspace folder, sorted; empty when it does not exist. */
  listFiles(path: string): Promise<readonly string[]>;
  /** The newest unbroken stretch of the thread that fits the budget, oldest first. */
  history(budgetTokens: number): Promise<{ readonly messages: readonly ModelMessage[]; readonly omitted: number }>;
}

export interface ResolverDefinition {
  readonly config?: z.ZodType;
  resolve(input: ResolverInput, capabilities: ResolverCapabilities): Promise<Resolved | null> | Resolved | null;
}

export const defineResolver = (definition: ResolverDefinition): ResolverDefinition => definition;
