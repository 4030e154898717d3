import type {
  ConsoleCode,
  ConsoleLogIn,
  ConsolePasskey,
  ConsoleSession,
  Cursor,
  DeadLetter,
  GatewayAudit,
  MailFolder,
  MailPlace,
  MailTry,
  NewConsolePasskey,
  NewConsoleSession,
  NewlyRefused,
  NewSeenMail,
  NewSenderQuestion,
  NewToolQuestion,
  Pause,
  RefusedLimits,
  RefusedMail,
  SeenLimits,
  SeenLook,
  SeenMail,
  SeenOfPerson,
  SeenPage,
  SeenWanted,
  SenderDecision,
  SenderQuestion,
  ToolQuestion,
  ToolsDecision,
  Wakeup,
} from '../types/gateway.ts';
import type { RowPage } from '../types/mail.ts';
import type { KeptOverview } from '../types/overview.ts';

/** A wakeup stays due for so long after the newest bump: time enough to commit what the bump announced. */
export const KEPT_DUE_MS = 2000;

/** Wakeups: a superset of the work in the persona databases, never the truth. */
export interface WakeupStore {
  /** Something is due for the persona at `dueAt`. Returns once committed. */
  bumpWakeup(personaId: string, dueAt: number): Promise<void>;
  /** `bumpWakeup` to now; writes nothing when the wakeup is sure to stay due for a while. */
  ensureDueNow(personaId: string, now: number): Promise<void>;
  /**
   * After the persona's own next due time was read; does nothing when it was bumped since. Only for a wakeup whose
   * generation has been the same for KEPT_DUE_MS.
   */
  clearWakeup(wakeup: {
    readonly personaId: string;
    readonly generation: number;
    readonly dueAt: number | null;
  }): Promise<void>;
  /** What is due, oldest first, a page at a time: after `after` where given. */
  dueWakeups(now: number, limit: number, after?: Wakeup): Promise<Wakeup[]>;
  nextWakeupAt(): Promise<number | null>;
  /** At start, under the workspace lock: every lease of the dead process is free, so all open work is due now. */
  makeAllDue(now: number): Promise<void>;
  /** Changes when another process has written. */
  dataVersion(): number;
}

/** What became of each mail, for everybody who asks; how long, `SeenLimits` says. */
interface SeenStore {
  /**
   * `place`: these rows are all that is now known of that place; earlier `deferred` rows of it are over, and so are
   * its tries unless it is deferred again. What only repeats what a persona's database says of its runs and of its
   * own mail need not be on disk before all else. `kept`: a mail of which these rows tell, with how many of its kind
   * may lie there.
   */
  recordSeen(
    rows: readonly NewSeenMail[],
    place?: MailPlace | null,
    kept?: { readonly mail: RefusedMail; readonly most: RefusedLimits },
  ): Promise<void>;
  /** The mail is no longer there: nothing is left to settle. */
  forgetDeferred(place: MailPlace): Promise<void>;
  /** The runs of the newest mail, newest first; looks at so many rows and no more. */
  recentRuns(limit: number): Promise<readonly { readonly persona: string; readonly runId: string }[]>;
  seenByMessageId(messageId: string): Promise<SeenMail[]>;
  /** Whether the mail that lies there was seen and none of its personas was left for later. */
  isPlaceSettled(place: MailPlace): Promise<boolean>;
  /** Grows with every row, and never again gives one that it gave. */
  newestSeen(): Promise<number>;
  /** Removes a batch of the oldest of those that are too old or too many; how many. */
  pruneSeen(limits: SeenLimits): Promise<number>;
  /** Refusals by code, over the rows that are kept. */
  refusalCounts(): Promise<{ readonly code: string | null; readonly count: number }[]>;
}

/** Received mail as people ask for it, newest first. */
interface ReceivedStore {
  listReceived(wanted: SeenWanted): Promise<SeenMail[]>;
  receivedById(id: number): Promise<SeenMail | undefined>;
  /** Mail in and out, newest first. However much there is, a look reads no more than a bounded number of rows. */
  lookAtSeen(wanted: SeenLook): Promise<SeenPage>;
  seenById(id: number): Promise<SeenMail | undefined>;
  /** What became of the mails from and to an address, by persona; of its newest thousand. */
  seenOfPerson(address: string, personas: readonly string[]): Promise<SeenOfPerson[]>;
  /** Senders of whom no mail was refused before `since`, newest first: proven ones that nobody let in, and unproven ones. */
  newlyRefused(since: number): Promise<NewlyRefused[]>;
  /** Message-IDs of which `part` is the beginning or the end; at most `limit`. */
  messageIdsLike(part: string, limit: number): Promise<string[]>;
  /** What is known of mail under one persona's id goes under another. Nobody works on the workspace meanwhile. */
  renamePersona(from: string, to: string): Promise<void>;
  /** Refused mail of that Message-ID that is kept, newest first. */
  refusedMail(messageId: string): Promise<RefusedMail[]>;
  /** All refused mail that is kept, oldest first, each with the codes under which it was refused. */
  keptRefusals(): Promise<{ readonly rawSha256: string; readonly codes: readonly string[] }[]>;
  keptRefusal(rawSha256: string): Promise<RefusedMail | undefined>;
  removeRefused(rawSha256: string): Promise<void>;
  /** What was refused, and what was taken in and stopped by a limit, before these times. */
  pruneRefused(olderThan: { readonly refused: number; readonly taken: number }): Promise<void>;
}

/** Whether somebody whose mail was refused may write, as owners were asked it. */
interface SenderQuestionStore {
  /** All questions of one digest, once: where there are some of it, nothing is changed. */
  askAboutSenders(questions: readonly NewSenderQuestion[]): Promise<void>;
  /** By their numbers. */
  senderQuestions(noticeId: string): Promise<SenderQuestion[]>;
  /**
   * Decides a question, and with it all others about that sender, persona and reason: the first answer holds for every
   * owner who was asked, but after `once` the sender may still be let in or blocked. The question as it is then;
   * undefined where there is none.
   */
  decideSender(
    which: Pick<SenderQuestion, 'notice_id' | 'number'>,
    decision: SenderDecision,
  ): Promise<SenderQuestion | undefined>;
  /** What an answer decided is open again: it could not be done. */
  reopenSender(answerId: string, which: Pick<SenderQuestion, 'persona_id' | 'sender' | 'code'>): Promise<void>;
  pruneSenderQuestions(untilBefore: number): Promise<void>;
}

/** Whether tools of MCP servers may be used as they are, as owners were asked it. */
interface ToolQuestionStore {
  /** Once: one that is there already stays as it is. */
  askAboutTools(question: NewToolQuestion): Promise<void>;
  toolQuestion(noticeId: string): Promise<ToolQuestion | undefined>;
  /** About one server, the newest first, 20 at most. */
  toolQuestionsAbout(server: string): Promise<Omit<ToolQuestion, 'offer'>[]>;
  /** The first answer decides; the question as it is then; undefined where there is none. */
  decideTools(noticeId: string, decision: ToolsDecision): Promise<ToolQuestion | undefined>;
  /** What this answer allowed was another list by then. */
  missTools(noticeId: string, answerId: string): Promise<void>;
  pruneToolQuestions(untilBefore: number): Promise<void>;
}

/** Who looks at the console. Of what lets somebody in there are hashes alone. */
interface ConsoleSessionStore {
  /** Forgets, on that occasion, codes that are over for a day and sessions that are over for a month. */
  addConsoleCode(code: Omit<ConsoleCode, 'used_at' | 'came_by'>): Promise<void>;
  /** The same work for whatever address; nothing is kept where too many wait. Forgets, on that occasion, those that are over. */
  askForLogIn(asked: Omit<ConsoleLogIn, 'code_sha256' | 'mailed_at'>): Promise<void>;
  /** Those of which nothing was mailed yet and that are not over, the oldest first. */
  openLogIns(now: number, limit: number): Promise<ConsoleLogIn[]>;
  /**
   * From now on its code lets somebody in, and its mail counts as handed over. `too_many`: so many were mailed to the address
   * within that time; the request is gone, and that is on record once in that time. `gone`: it was mailed, or taken back.
   */
  mailLogIn(
    id: string,
    mailed: {
      readonly codeSha256: string;
      readonly role: string;
      readonly now: number;
      readonly most: number;
      readonly withinMs: number;
    },
  ): Promise<'begun' | 'too_many' | 'gone'>;
  /**
   * `again`: no server took it, and it is open once more; `failed`: none ever will; `nobody`: it is forgotten. In all three its code
   * lets nobody in.
   */
  settleLogIn(id: string, became: 'mailed' | 'failed' | 'again' | 'nobody', now: number): Promise<void>;
  /** Begins the session of the code, which then begins no other; on record with it. */
  useConsoleCode(
    codeSha256: string,
    session: NewConsoleSession,
    now: number,
  ): Promise<'begun' | 'used' | 'late' | 'unknown'>;
  /** Of whoever another provider has proven to be somebody; on record with it. */
  beginProvenSession(
    who: Pick<ConsoleSession, 'address' | 'role' | 'came_by'>,
    session: NewConsoleSession,
    now: number,
  ): Promise<'begun'>;
  /** On record with it. `known`: the device has one already that is kept; `too_many`: the address has as many as it may. */
  addPasskey(passkey: NewConsolePasskey): Promise<'added' | 'known' | 'too_many'>;
  /** The oldest first. */
  listPasskeys(): Promise<ConsolePasskey[]>;
  passkeyOf(credentialId: string): Promise<ConsolePasskey | undefined>;
  /**
   * Begins a session, on record with it. `counter`: as the device says it now; one that is no higher than before was copied
   * (Web Authentication, 6.1.1), and begins none.
   */
  usePasskey(
    credentialId: string,
    counter: number,
    session: NewConsoleSession,
    now: number,
  ): Promise<'begun' | 'unknown'>;
  /**
   * On record with it, and with the end of all sessions of its address that began by a passkey, but for the one that does it
   * (`keep`, by the hash of its token). What was taken away; undefined: there is none.
   */
  removePasskey(
    id: string,
    removed: { readonly by: string; readonly now: number; readonly keep: string | null },
  ): Promise<ConsolePasskey | undefined>;
  /** As its row is, over or not. */
  consoleSession(tokenSha256: string): Promise<ConsoleSession | undefined>;
  consoleSessionSeen(tokenSha256: string, now: number): Promise<void>;
  /** The newest first. */
  listConsoleSessions(limit: number): Promise<ConsoleSession[]>;
  /**
   * One, those of an address, or all, and but for one alone also the codes that are not used yet; how many there were. Each is
   * on record: as a log-out where the button of its page ended it (`isLogOut`).
   */
  endConsoleSessions(
    which: { readonly tokenSha256?: string; readonly address?: string },
    ended: { readonly by: string; readonly now: number; readonly isLogOut?: boolean },
  ): Promise<number>;
  /** Puts on record that those are over which nobody has used for so long, or which are too old. */
  endOverdueConsoleSessions(limits: { readonly now: number; readonly idleMs: number }): Promise<void>;
  /** Puts on record that one address of the network has tried too many codes, or asked for too many mails; once in a minute, whoever tries. */
  noteRefusedLogIns(peer: string, now: number): Promise<void>;
  /** Puts on record what was done of what belongs to no persona. */
  addGatewayAudit(row: GatewayAudit): Promise<void>;
  /** What was decided and done of what belongs to no persona, the newest first. */
  listGatewayAudit(page: RowPage & { readonly event?: string }): Promise<GatewayAudit[]>;
}

/** Mailboxes: how far each was read, and which of its mails are not settled yet. */
interface MailboxStore {
  loadCursor(mailbox: string): Promise<Cursor | undefined>;
  saveCursor(mailbox: string, cursor: Cursor): Promise<void>;
  /** Since when the mail that lies there has been left for later for this reason; null when it has not. */
  deferredSince(place: MailPlace, code: string): Promise<number | null>;
  /**
   * The mail is taken up: on record before anything is done with it, so that it is known after a crash. It is due
   * again at `nextAt` unless something else is said of it. Need not be on disk before all else: what follows is.
   */
  beginTry(place: MailPlace, nextAt: number): Promise<MailTry>;
  /** It came to no end because the gateway was asked to stop: that is not held against the mail. */
  forgiveTry(place: MailPlace): Promise<void>;
  /** It came to an end, which is that it is looked at again at `nextAt`. Lost in a power cut, it was only begun. */
  putOff(place: MailPlace, end: { readonly nextAt: number; readonly deferrals: number }): Promise<void>;
  /** The folder has other UIDs now, under which its mail is offered again. */
  forgetOtherTries(folder: MailFolder): Promise<void>;
  /** The folder gives UIDs once more that it gave before: what is known of their places is that of other mail. */
  forgetPlaces(folder: MailFolder): Promise<void>;
  /** Mail of the mailbox that waits for its owners (`resync_held`): looked at now, or left where it is; how many. */
  settleHeld(mailbox: string, what: 'take' | 'leave'): Promise<number>;
  /** UIDs whose time has come, longest due first. */
  dueUids(folder: MailFolder, now: number, limit: number): Promise<number[]>;
  /** What was taken up so often without an end. */
  brokenUids(folder: MailFolder, begun: number): Promise<number[]>;
  /** The personas that mail waits for, each with one of its addresses. */
  waitedFor(folder: MailFolder): Promise<{ readonly persona: string; readonly recipient: string | null }[]>;
  uidsWaitingFor(folder: MailFolder, persona: string, limit: number): Promise<number[]>;
  /** Mails of the mailbox that were taken up and are not settled; how many. */
  countUnsettled(mailbox: string): Promise<number>;
}

/** Mail that could not be understood. */
interface DeadLetterStore {
  /**
   * Keeps a letter, once, and no more than so many with so many bytes: the oldest go. Returns the files that no
   * letter is about any more.
   */
  addDeadLetter(row: DeadLetter, most: { readonly letters: number; readonly bytes: number }): Promise<string[]>;
  listDeadLetters(options: {
    readonly after?: string | undefined;
    readonly limit: number;
    readonly persona?: string | undefined;
  }): Promise<DeadLetter[]>;
  getDeadLetter(id: string): Promise<DeadLetter | undefined>;
  removeDeadLetter(id: string): Promise<void>;
  countDeadLetters(): Promise<number>;
  /** The names of the files in quarantine that a letter is about. */
  deadLetterFiles(): Promise<ReadonlySet<string>>;
}

/**
 * What lists over all personas need of each, as it was read of its database at some time: behind the persona's own rows,
 * never the truth. Whoever reads one looks at the stamp.
 */
interface OverviewStore {
  keptOverviews(): Promise<KeptOverview[]>;
  keepOverviews(kept: readonly KeptOverview[]): Promise<void>;
  /** Another process than the gateway has changed the persona's rows. */
  noteChanged(personaId: string): Promise<void>;
  /** Those that were noted, once. */
  takeChanged(): Promise<string[]>;
}

/** What owners and the gateway itself have set, for all processes of the workspace. */
export interface SettingStore {
  /** Reads a setting, or stores and returns `make()` when there is none yet. */
  setting(key: string, make: () => string): Promise<string>;
  /** Changes nothing where there is none. */
  findSetting(key: string): Promise<string | undefined>;
  changeSetting(key: string, value: string): Promise<void>;
  /** A provider is not to be asked until then; the row stays, and stands for nothing once the time is over. */
  keepResting(rest: { readonly provider: string; readonly until: number }): Promise<void>;
  resting(now: number): Promise<{ readonly provider: string; readonly until: number }[]>;
  /** Whether an owner has paused or stopped the persona. */
  isPaused(personaId: string): Promise<boolean>;
  /** All that an owner has paused or stopped. */
  pausedPersonas(): Promise<ReadonlySet<string>>;
  /** How an owner has put the persona to rest; null while it works. */
  pauseOf(personaId: string): Promise<Pause>;
  /** Stopped: paused, and none of its mail leaves but notices. */
  isStopped(personaId: string): Promise<boolean>;
  /** `from`: how it has to be for that; where it is not, nothing is written, and it is false. Absent: however it is. */
  setPaused(personaId: string, state: Pause, from?: Pause): Promise<boolean>;
}

/** What all personas share. */
export interface GatewayStore
  extends WakeupStore,
    SeenStore,
    ReceivedStore,
    SenderQuestionStore,
    ToolQuestionStore,
    ConsoleSessionStore,
    MailboxStore,
    DeadLetterStore,
    OverviewStore,
    SettingStore {
  /** Whether something could be written now; looked at beside the connection, so that nobody waits for a lock. */
  canWrite(): Promise<boolean>;
  /** Once all that was asked for is committed. */
  close(): Promise<void>;
}
