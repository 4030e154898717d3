import type { z } from 'zod';
import type { KnowledgeCapability } from './capabilities/knowledge.ts';
import type { MailCapability } from './capabilities.ts';
import type { Json } from './json.ts';
import type { ModelMessage } from './provider.ts';

/**
 * Where a section goes: the byte-stable system prefix, the history, the mail as it stands from then on in its thread, or
 * what is told of it behind it: `brief` stands in this run alone.
 */
export type Resolved =
  | { readonly slot: 'stable'; readonly text: string }
  /** `once`: in this run alone; later runs of the thread are shown the mail without it. */
  | { readonly slot: 'volatile'; readonly text: string; readonly once?: boolean }
  | { readonly slot: 'brief'; readonly text: string }
  | { readonly slot: 'history'; readonly messages: readonly ModelMessage[] };

/** Whose words a piece of a mail is. Nothing but `written` is ever the sender's own. */
export type PieceKind =
  /** What the sender wrote now. */
  | 'written'
  /** The lines that an answer between quoted lines stands below: what it answers. */
  | 'asked'
  /** Older mail: behind `>`, marked by the HTML, below a copied header, or on record, with the line that says whose it is. */
  | 'quoted'
  | 'forwarded'
  | 'signature'
  /** It may be any of these. */
  | 'unknown';

/** Some lines of a mail that stand together and are of one kind. */
export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
}

export interface ResolverMessage {
  readonly messageId: string;
  readonly subject: string;
  readonly from: string;
  /** As the sender calls themselves; may be empty. */
  readonly fromName: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly tier: string;
  /** ISO 8601 UTC. */
  readonly receivedAt: string;
  /** The Date header, which the sender chose: ISO 8601 UTC; null where there is none. */
  readonly writtenAt: string | null;
  /** All that it says, in reading order; the texts below are the same by kind. */
  readonly pieces: readonly Piece[];
  readonly newText: string;
  readonly quotedText: string;
  readonly forwardedText: string;
  /** Another run of the persona has handed it over, which works for this address; absent: somebody has mailed it. */
  readonly handedOnFor?: string;
  /** Lines such as `[attachment a1] plan.txt, text/plain, 120 bytes`; one that no tool can read ends in `, unreadable: <why>`. */
  readonly attachments: readonly string[];
  /** The whole of those that are small, in the words of whoever wrote them, or of a file (`part`) in one of them; absent: none. */
  readonly attachmentTexts?: readonly { readonly id: string; readonly part?: string; readonly text: string }[];
  /** Invitations that came with it or stand in its thread; absent: none. `text` is the facts, in the words of others too. */
  readonly invitations?: readonly { readonly id: string; readonly text: string }[];
  /** What is known of its readers: what owners call them, and whether they are `you`, an `owner` or a `member`. */
  readonly readers?: readonly { readonly address: string; readonly name: string; readonly role: string }[];
  /** People whom its owner names in it, by what owners call them. */
  readonly named?: readonly { readonly name: string; readonly address: string }[];
  /** Members whom its owner names in it, by the words of the mail. */
  readonly members?: readonly { readonly name: string; readonly address: string }[];
  /** Conversations with the same people that wait for somebody, in words. */
  readonly open?: readonly string[];
  /** What the parser had to leave out, in words. */
  readonly limitations: readonly string[];
  /** What is not done or not read by anybody yet, since a person has to say or do something first, in words; absent: nothing. */
  readonly waiting?: readonly string[];
  /** What of ours this mail answers, in words, such as a task with its schedule or a mail with who had asked for it; null where nothing is known of it. */
  readonly answers: string | null;
  /** Of a run that the schedule started: when it was due, and how the run before ended, in words. */
  readonly task?: { readonly dueAt: string; readonly timezone: string; readonly previous: string | null };
}

export interface ResolverInput<Config = Json> {
  readonly argument: string | null;
  readonly persona: {
    readonly id: string;
    readonly name: string;
    readonly address: string;
    readonly timezone: string;
    readonly owners: readonly string[];
  };
  readonly thread: {
    readonly id: string;
    readonly kind: 'thread' | 'task';
    readonly messageCount: number;
    /** Nothing of it is found in other threads or remembered. */
    readonly isPrivate: boolean;
    /** Who else has written in it, as far as the sender may see their mail; absent: nobody. */
    readonly people?: readonly { readonly name: string; readonly address: string }[];
  };
  readonly message: ResolverMessage;
  /** Tools that the persona has and that cannot be used in this run. */
  readonly unusable: readonly { readonly tool: string; readonly why: string }[];
  /** Names of the tools that the model is shown. */
  readonly tools: readonly string[];
  /** Limits of this run that are near, in words. */
  readonly limits: readonly string[];
  readonly budgetTokens: number;
  /** The manifest's `config`, merged with extensions.json and validated by the definition's `config`. */
  readonly config: Config;
  /** By the manifest's `secrets` keys; a key whose environment variable is unset is absent. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What a resolver may ask for. The one list of these names. */
export const RESOLVER_CAPABILITY_NAMES = [
  'readFile',
  'listFiles',
  'history',
  'search',
  'knowledge',
  'threadMemory',
] as const;

export type ResolverCapabilityName = (typeof RESOLVER_CAPABILITY_NAMES)[number];

/** A resolver that does not say what it `uses` has the first three, and the others where its manifest asks for them. */
export interface ResolverCapabilities extends Record<ResolverCapabilityName, unknown> {
  /** Text of a workspace file, confined to the workspace; null when it does not exist. */
  readFile(path: string): Promise<string | null>;
  /** Names in a workspace folder, sorted; empty when it does not exist. */
  listFiles(path: string): Promise<readonly string[]>;
  /** The newest unbroken stretch of the thread that fits the budget, oldest first. */
  history(budgetTokens: number): Promise<{ readonly messages: readonly ModelMessage[]; readonly omitted: number }>;
  /** Earlier mail of the persona that the sender of the current mail may see. */
  search: MailCapability['search'];
  knowledge: KnowledgeCapability;
  /** What was summarised of the thread's mails that are not shown, fenced, for whoever may see them; null: nothing. */
  threadMemory(): Promise<string | null>;
}

export interface ResolverDefinition<Config = Json, Uses extends ResolverCapabilityName = ResolverCapabilityName> {
  readonly config?: z.ZodType<Config>;
  /** The same names as the manifest's `capabilities`, or the resolver is refused; only these are handed over. */
  readonly uses?: readonly Uses[];
  resolve(
    input: ResolverInput<Config>,
    capabilities: Pick<ResolverCapabilities, Uses>,
  ): Promise<Resolved | null> | Resolved | null;
}

/**
 * A part of the prompt, as an extension's entry exports it by default.
 *
 * @example
 * export default defineResolver({
 *   uses: ['search'],
 *   config: z.strictObject({ most: z.int().default(3) }),
 *   async resolve({ message, config }, { search }) {
 *     const found = await search({ query: message.subject, limit: config.most });
 *     const text = found.map(({ date, subject }) => `${date} ${subject}`).join('\n');
 *     return text === '' ? null : { slot: 'volatile', text: `Earlier mail about this:\n${text}` };
 *   },
 * });
 */
export const defineResolver = <
  Config = Json,
  const Uses extends ResolverCapabilityName = Exclude<ResolverCapabilityName, 'search' | 'knowledge' | 'threadMemory'>,
>(
  definition: ResolverDefinition<Config, Uses>,
): ResolverDefinition<Config, Uses> => definition;
