import type { z } from 'zod';
import type * as extensions from './extension-schemas.ts';
import type { imapSchema, mailboxSchema, oauthSchema, smtpSchema } from './mailbox-schema.ts';
import type { personaSchema } from './persona-schema.ts';
import type * as schemas from './schemas.ts';
import type { taskSchema } from './tasks/task-schema.ts';

export type GatewayConfig = z.infer<typeof schemas.gatewaySchema>;
export type MailboxConfig = z.infer<typeof mailboxSchema>;
export type ImapConfig = z.infer<typeof imapSchema>;
export type SmtpConfig = z.infer<typeof smtpSchema>;
export type OAuthConfig = z.infer<typeof oauthSchema>;
export type InferenceConfig = z.infer<typeof schemas.inferenceSchema>;
type ContextConfig = z.infer<typeof schemas.contextSchema>;
export type SecurityConfig = z.infer<typeof schemas.securitySchema>;
export type SystemConfig = z.infer<typeof schemas.systemSchema>;
export type ExtensionsConfig = z.infer<typeof extensions.extensionsSchema>;
export type McpServerConfig = z.infer<typeof extensions.mcpServerSchema>;
export type PersonaFile = z.infer<typeof personaSchema>;
export type Manifest = z.infer<typeof extensions.manifestSchema>;
export type ManifestOf<Kind extends Manifest['kind']> = Extract<Manifest, { kind: Kind }>;
export type ExtensionKind = Manifest['kind'];

/** One thing wrong in a file, with its place and its cure. */
export interface Problem {
  /** Relative to the workspace. */
  readonly file: string;
  /** Dotted path of the key; empty for the file as a whole. */
  readonly key: string;
  readonly code:
    | 'unknown_key'
    | 'invalid_value'
    | 'missing_key'
    | 'invalid_json'
    | 'invalid_yaml'
    | 'unreadable'
    | 'duplicate_address'
    | 'unknown_resolver'
    | 'not_found'
    | 'unknown_mailbox'
    | 'unknown_provider';
  readonly message: string;
  /** What would be right, in words. */
  readonly expected: string | null;
  /** The nearest known name, for a misspelt key. */
  readonly nearest: string | null;
}

/** As a file names one. */
export type Owner = SecurityConfig['owners'][number];

export interface Persona extends Omit<PersonaFile, 'owners'> {
  /** The folder's name. */
  readonly id: string;
  /** Their addresses. */
  readonly owners: string[];
  /** By the address in lower case: the language in which an owner is written to, where a file names one; absent: none does. */
  readonly ownerLanguages?: Readonly<Record<string, PersonaFile['language']>>;
}

/** A persona that can take mail, or one whose files are wrong: its mail waits (451). */
export type PersonaEntry =
  | { readonly state: 'ready'; readonly id: string; readonly persona: Persona }
  | {
      readonly state: 'error';
      readonly id: string;
      /** Who owns it, where its file says so or did when it was last good; absent: nobody knows. */
      readonly owners?: readonly string[];
      readonly addresses: readonly string[];
      readonly problems: readonly Problem[];
    };

/** What an answer has to bring beside its words. */
export type AnswerConfig = Readonly<PersonaFile['answer']>;
/** The `answer` of a task file; keys that it leaves out are the persona's. */
export type TaskAnswer = z.infer<typeof taskSchema>['answer'];

type TaskFront = z.infer<typeof taskSchema>;

/** What a task file says, with its defaults filled in. */
export interface TaskDefinition extends Omit<TaskFront, 'name' | 'timezone' | 'condition'> {
  /** The file's name without `.md`. */
  readonly id: string;
  /** Relative to the workspace. */
  readonly file: string;
  readonly name: string;
  readonly timezone: string;
  readonly maxAgeMs: number;
  /** One read call that decides whether the run goes on. */
  readonly condition: { readonly tool: string; readonly args: unknown } | null;
  readonly prompt: string;
  /** SHA-256 of the whole file. */
  readonly sha256: string;
  /** Hash of what decides when the task is due; another key begins a new count. */
  readonly scheduleKey: string;
}

/** One task file: the definition in force (an older one while the file is wrong; null if there never was one). */
export interface TaskEntry {
  readonly id: string;
  readonly file: string;
  readonly task: TaskDefinition | null;
  readonly problems: readonly Problem[];
}

/** The task files of the workspace for whoever writes them in a persona's name; ids are checked, problems are values. */
export interface TaskDesk {
  tasksOf(personaId: string): readonly TaskEntry[];
  /** The file as it stands; null when there is none. */
  text(personaId: string, id: string): string | null;
  /** The file that would say so: what `present`, the file as it stands, says with these changes. */
  draft(
    personaId: string,
    zone: string,
    present: string | null,
    changes: { readonly id: string } & Readonly<Record<string, string>>,
  ): {
    readonly text: string;
    readonly read:
      | { readonly ok: true; readonly task: TaskDefinition }
      | { readonly ok: false; readonly problems: readonly Problem[] };
  };
  /** False when another file is there. */
  create(personaId: string, id: string, text: string): boolean;
  replace(personaId: string, id: string, text: string): void;
  remove(personaId: string, id: string): void;
}

export interface Configs {
  readonly gateway: GatewayConfig;
  readonly inference: InferenceConfig;
  readonly context: ContextConfig;
  readonly security: SecurityConfig;
  readonly system: SystemConfig;
  readonly extensions: ExtensionsConfig;
}

/** Personas by id and by address; both in constant time, for 10,000 of them. */
export interface PersonaDirectory {
  get(id: string): PersonaEntry | undefined;
  /** By address or alias, any case, domain in punycode; a plus-tag is ignored when the whole address is unknown. */
  byAddress(address: string): PersonaEntry | undefined;
  all(): Iterable<PersonaEntry>;
  readonly size: number;
  /** Ids of those in `error`, so that nobody who counts them goes through all. */
  readonly inError: readonly string[];
}
