import type { z } from 'zod';
import type * as schemas from './schemas.ts';

export type GatewayConfig = z.infer<typeof schemas.gatewaySchema>;
export type MailboxConfig = z.infer<typeof schemas.mailboxSchema>;
export type ImapConfig = z.infer<typeof schemas.imapSchema>;
export type SmtpConfig = z.infer<typeof schemas.smtpSchema>;
export type InferenceConfig = z.infer<typeof schemas.inferenceSchema>;
export type ContextConfig = z.infer<typeof schemas.contextSchema>;
export type SecurityConfig = z.infer<typeof schemas.securitySchema>;
export type SystemConfig = z.infer<typeof schemas.systemSchema>;
export type ExtensionsConfig = z.infer<typeof schemas.extensionsSchema>;
export type PersonaFile = z.infer<typeof schemas.personaSchema>;
export type Manifest = z.infer<typeof schemas.manifestSchema>;
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

export interface Persona extends PersonaFile {
  /** The folder's name. */
  readonly id: string;
  readonly owners: string[];
}

/** A persona that can take mail, or one whose files are wrong: its mail waits (451). */
export type PersonaEntry =
  | { readonly state: 'ready'; readonly id: string; readonly persona: Persona }
  | {
      readonly state: 'error';
      readonly id: string;
      readonly addresses: readonly string[];
      readonly problems: readonly Problem[];
    };

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
}
