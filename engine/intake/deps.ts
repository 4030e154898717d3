import type { Log } from '#contract';
import type { Configs, Persona, PersonaEntry } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import type { Authenticator } from '../mail/identity/authenticate.ts';
import type { MailParserPool } from '../mail/reading/parse.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import type { RawMover } from '../storage/raw-mail.ts';
import type { JudgeEdit } from '../tools/judge-edit.ts';
import type { Circuit } from './rules/loops.ts';

/** What it takes to understand a mail and to say who wrote it. */
export interface ReaderDeps {
  readonly parser: MailParserPool;
  authenticator(): Authenticator;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  configs(): Configs;
  findByAddress(address: string): PersonaEntry | undefined;
  isOwnAddress(address: string): boolean;
  /** Told of each arrival. */
  readonly log: Log;
  /** Seals the hop count of mail between personas. */
  readonly recursionSecret: string;
}

/** What it takes to decide about a mail whose sender is known, and to write that down. */
export interface WriterDeps {
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  readonly circuit: Circuit;
  readonly judgeEdit: JudgeEdit;
  readonly quarantineFolder: string;
  configs(): Pick<Configs, 'security'>;
  filesOf(personaId: string): PersonaFiles;
  readonly rawMail: Pick<RawMover, 'held'>;
  isOwnAddress(address: string): boolean;
  /** The personas whose mail leaves by this mailbox; all of them where none does. */
  writingFrom(mailbox: string): readonly Persona[];
  /** Since when the persona is paused or stopped: its mail is taken in, and its run waits. */
  waitingFor(persona: Persona): Promise<Waiting | null>;
  readonly announce: Announce;
  readonly documents: Pick<DocumentReader, 'ask'>;
}

export type IntakeDeps = ReaderDeps & WriterDeps;
