import { existsSync, opendirSync } from 'node:fs';
import type { AtHand, RestrictedRun } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredHook, RegisteredTool, Registry } from '../extensions/types.ts';
import { learningOf } from '../learning/settings.ts';
import { narrowingOfChild } from '../policy/delegated.ts';
import { narrowingByHooks } from '../policy/hook-restrictions.ts';
import { factsOf, narrowingFor, refusalOf, specOf, type ToolFacts } from '../policy/surface.ts';
import type { ToldBack } from '../policy/told-back.ts';
import { viewerOf } from '../policy/viewer.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { RunInHand, Trigger } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredAttachment, StoredMessage, StoredThread } from '../storage/types/mail.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import { ASKED, kindOfTool } from '../suspensions/kinds.ts';
import { mayBringCalendar } from './calendar/meetings.ts';
import type { Knowledge } from './knowledge/knowledge.ts';

/** By which it is told what a tool over mail and files may see. */
export const READ_FILE: ToolFacts = { name: 'read_file', scope: 'files:read', risk: 'read' };
export const LIST_FILES: ToolFacts = { name: 'list_files', scope: 'files:read', risk: 'read' };
export const ATTACH: ToolFacts = { name: 'attach', scope: 'mail:create', risk: 'create' };
export const READ_ATTACHMENT: ToolFacts = { name: 'read_attachment', scope: 'mail:read', risk: 'read' };

/**
 * One surface for what the model is shown and for what may be called. `hand`: what the run has to work on; null where
 * nobody is shown anything.
 */
export function surfaceFor(
  { tools, hooks }: { tools: Pick<Registry<RegisteredTool>, 'all'>; hooks: Pick<Registry<RegisteredHook>, 'all'> },
  {
    persona,
    configs,
    run,
    toldBack,
    packet = null,
  }: {
    readonly persona: Persona;
    readonly configs: Pick<Configs, 'security'>;
    readonly run: Pick<StoredRun, 'tier' | 'sender'>;
    readonly toldBack: ToldBack | null;
    readonly packet?: Packet | null;
  },
  hand: Hand | null = null,
) {
  const narrowing = [
    ...narrowingFor(persona, configs.security.tool_policy, { tier: run.tier, tellsBack: toldBack !== null }),
    ...(packet === null ? [] : [narrowingOfChild(packet)]),
    ...narrowingByHooks(hooks, restrictedRun(persona, run)),
  ];
  const refusal = (tool: ToolFacts) => refusalOf(tool, narrowing);
  const judged = tools.all().map((tool) => ({ tool, refused: refusal(factsOf(tool)) }));
  const granted = judged.flatMap(({ tool, refused }) => (refused === null ? [tool] : []));
  /** What hooks have left out, for the trace; what the configuration does not grant is seen there. */
  const narrowed = judged.flatMap(({ tool: { name }, refused }) =>
    refused?.reason === undefined ? [] : [{ tool: name, by: refused.by, reason: refused.reason }],
  );
  const unready = granted.flatMap((tool) => {
    const reason = tool.ready();
    return reason === null ? [] : [{ tool, reason }];
  });
  const usable = granted.filter((tool) => unready.every((each) => each.tool !== tool));
  const destructive = usable.filter(({ definition }) => definition.risk === 'destructive');
  // A plan of calls of one tool is made of the calls themselves; what can never succeed is not worth its words.
  const readsFiles = refusal(READ_FILE) === null;
  const makesFiles = usable.some(({ definition }) => definition.scope === 'files:create');
  const offered = usable.filter(
    ({ definition }) =>
      (!ASKED[kindOfTool(definition)].bySteps || destructive.length >= 2) &&
      (definition.onlyWith === undefined ||
        hand === null ||
        has(hand, definition.onlyWith, { readsFiles, makesFiles })),
  );
  const specs = offered.map(specOf);
  const facts = offered.map(factsOf);
  const onlyReads = facts.every(({ risk }) => risk === 'read');
  const away = unready.flatMap(({ tool: { name, away: is } }) => (is ? [{ tool: name, ...is }] : []));
  return { refusal, specs, facts, onlyReads, unusable: forModel(unready), away, narrowed };
}

/** What a model is told of tools that it has not. A name that no owner has seen is its server's word, so those are counted. */
function forModel(
  unready: readonly { readonly tool: RegisteredTool; readonly reason: string }[],
): { tool: string; why: string }[] {
  const named = unready.filter(({ tool: { away } }) => away?.known !== false);
  const unseen = unready.flatMap(({ tool: { away } }) => (away?.known === false ? [away] : []));
  return [
    ...named.map(({ tool: { name }, reason }) => ({ tool: name, why: reason })),
    ...[...Map.groupBy(unseen, ({ server }) => server)].map(([server, tools]) => ({
      tool: server,
      why: tools.some(({ why }) => why === 'lock')
        ? `what owners have allowed of the tools of this MCP server cannot be read (${tools.length})`
        : `this MCP server offers tools that an owner has not yet allowed (${tools.length})`,
    })),
  ];
}

export const restrictedRun = (
  { id }: Persona,
  { sender, tier }: Pick<StoredRun, 'sender' | 'tier'>,
): RestrictedRun => ({
  persona: id,
  sender,
  tier,
});

/** A row of a Markdown table, or two lines with tabs. */
const ROWS = /^[ \t]{0,8}\|[^\n|]{0,500}\|/m;
const TABBED = /\t[^\t\n]{0,500}\n[^\t\n]{0,500}\t/;
const NUMBER = /\d[\d.,:/-]*/g;

/** What may be read of this is another question: a persona that reads no files has none. */
interface Hand {
  readonly rows: boolean;
  readonly files: boolean;
  readonly numbers: boolean;
  readonly knowledge: boolean;
  readonly invitation: boolean;
  /** An invitation earlier in the thread, or words that ask for a meeting. */
  readonly meeting: boolean;
  readonly calendars: boolean;
  /** It keeps what it is told. */
  readonly memory: boolean;
  /** It may hand work to runs below it. */
  readonly delegation: boolean;
  /** An owner may have it work in a way of theirs. */
  readonly learning: boolean;
  /** Whoever wrote the mail may say what is to hold from now on. */
  readonly rules: boolean;
}

/** What a run may do with files. */
interface FileGrants {
  readonly readsFiles: boolean;
  readonly makesFiles: boolean;
}

/** Whether a tool that needs this has it. */
export function has(hand: Hand, what: AtHand, { readsFiles, makesFiles }: FileGrants): boolean {
  if (what !== 'rows' && what !== 'numbers' && what !== 'files') return hand[what];
  if (what === 'files') return readsFiles && (hand.files || makesFiles);
  return hand.rows || (readsFiles && hand.files) || (what === 'numbers' && hand.numbers);
}

interface WorkedOn {
  readonly message: Pick<StoredMessage, 'text'>;
  readonly attachments: readonly StoredAttachment[];
  readonly thread: Pick<StoredThread, 'id' | 'message_count'>;
  readonly run: Pick<RunInHand, 'tier' | 'sender' | 'thread_id' | 'readers'>;
  readonly trigger: Trigger;
}

interface Surroundings {
  readonly store: Pick<Store, 'hasAttachments' | 'invitationsOfThread'>;
  filesOf(personaId: string): Pick<PersonaFiles, 'filesRoot'>;
  /** Where the owner puts calendars. */
  calendarsOf(personaId: string): string;
  readonly persona: Pick<Persona, 'id' | 'calendar' | 'memory' | 'delegation' | 'learning'>;
  readonly knowledge: Pick<Knowledge, 'isLarge'>;
  readonly configs: Pick<Configs, 'system'>;
}

/**
 * What a run has to work on. Rows that were there once stay, so that the tools of one run after the other are the same and
 * a vendor's prompt cache hits.
 */
export async function atHand(
  { message: { text }, attachments, thread, run, trigger }: WorkedOn,
  { store, filesOf, calendarsOf, persona, knowledge, configs }: Surroundings,
): Promise<Hand> {
  const isFirst = thread.message_count <= 1;
  const hasMet = !isFirst && (await store.invitationsOfThread(thread.id, viewerOf(run), 1)).length > 0;
  return {
    invitation: hasMet || attachments.some(mayBringCalendar),
    meeting: hasMet || asksForMeeting(text),
    calendars: Object.keys(persona.calendar.urls).length > 0 || hasFiles(calendarsOf(persona.id)),
    rows: ROWS.test(text) || TABBED.test(text) || (await store.hasAttachments()),
    files: hasFiles(filesOf(persona.id).filesRoot),
    numbers: hasTwoNumbers(text),
    knowledge: await knowledge.isLarge(),
    memory: persona.memory.facts === true,
    delegation: mayDelegate(persona.delegation, trigger),
    learning: learningOf(persona, configs.system).enabled && run.tier === 'owner' && trigger.kind === 'mail',
    rules: (run.tier === 'owner' || run.tier === 'member') && trigger.kind === 'mail',
  };
}

const mayDelegate = ({ enabled, max_depth }: Persona['delegation'], trigger: Trigger): boolean =>
  enabled && (trigger.kind === 'delegation' ? trigger.packet.depth : 0) < max_depth;

function hasTwoNumbers(text: string): boolean {
  const numbers = text.matchAll(NUMBER);
  return numbers.next().done !== true && numbers.next().done !== true;
}

/**
 * Before the first write there is no folder at all. Synchronous inside: a look takes some microseconds, and each way
 * through the thread pool fifty.
 */
function hasFiles(root: string): boolean {
  if (!existsSync(root)) return false;
  try {
    const folder = opendirSync(root, { bufferSize: 1 });
    const first = folder.readSync();
    folder.closeSync();
    return first !== null;
  } catch {
    return false;
  }
}

/** Of the languages in which the gateway speaks: to invite, and what one is invited to. */
const ASKING =
  /(?<!\p{L})(?:invit|meeting|appointment|reschedul|calend|kalender|einlad|lade |lad |termin(?!at)|besprechung|rendez-vous|réunion|reuni|riunion|afspra|vergader|uitnodig|nodig |convi|convoc|cita |spotkan|zapro)|会議|打ち合わせ|予定|招待|会议|邀请|约会/iu;

/** Whether words of a mail may ask for a meeting with others. The tool for that is not worth its words in other mails. */
const asksForMeeting = (text: string): boolean => ASKING.test(text);
