import type { AtHand, RestrictedRun, ToolSpec } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredHook, RegisteredTool, Registry } from '../extensions/types.ts';
import { narrowingOfChild } from '../policy/delegated.ts';
import { narrowingByHooks } from '../policy/hook-restrictions.ts';
import { factsOf, narrowingFor, refusalOf, type SurfaceRefusal, specOf, type ToolFacts } from '../policy/surface.ts';
import type { ToldBack } from '../policy/told-back.ts';
import type { PayloadOf } from '../record/events.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import { ASKED, kindOfTool } from '../suspensions/kinds.ts';

/** By which it is told what a tool over mail and files may see. */
export const READ_FILE: ToolFacts = { name: 'read_file', scope: 'files:read', risk: 'read' };
export const LIST_FILES: ToolFacts = { name: 'list_files', scope: 'files:read', risk: 'read' };
export const ATTACH: ToolFacts = { name: 'attach', scope: 'mail:create', risk: 'create' };
export const READ_ATTACHMENT: ToolFacts = { name: 'read_attachment', scope: 'mail:read', risk: 'read' };

export interface Surface {
  /** Why a tool cannot be called; null: it can. */
  refusal(tool: ToolFacts): SurfaceRefusal | null;
  readonly specs: readonly ToolSpec[];
  /** The same tools as policy looks at them. */
  readonly facts: readonly ToolFacts[];
  /** None of them can change anything. */
  readonly onlyReads: boolean;
  /** Tools that are granted and cannot be used, with the reason for the model. */
  readonly unusable: readonly { readonly tool: string; readonly why: string }[];
  /** Tools of MCP servers that no owner has seen as they are. */
  readonly away: NonNullable<PayloadOf<'context_built'>['away']>;
  /** What hooks have left out. */
  readonly narrowed: readonly { readonly tool: string; readonly by: string; readonly reason: string }[];
}

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
): Surface {
  const narrowing = [
    ...narrowingFor(persona, configs.security.tool_policy, { tier: run.tier, tellsBack: toldBack !== null }),
    ...(packet === null ? [] : [narrowingOfChild(packet)]),
    ...(hooks.all().length === 0 ? [] : narrowingByHooks(hooks, restrictedRun(persona, run))),
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
  const offered = usable.filter(
    ({ definition }) =>
      (!ASKED[kindOfTool(definition)].bySteps || destructive.length >= 2) &&
      (definition.onlyWith === undefined || hand === null || has(hand, definition.onlyWith, { readsFiles })),
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

/**
 * What there is for tools to work with, by the persona and by who writes, and by what waits for an owner: never by a mail, so that all
 * mails of one tier have the same tools.
 */
export interface Hand {
  readonly knowledge: boolean;
  readonly calendars: boolean;
  /** It keeps what it is told. */
  readonly memory: boolean;
  /** It may hand work to runs below it. */
  readonly delegation: boolean;
  /** An owner may have it work in a way of theirs. */
  readonly learning: boolean;
  /** Whoever wrote the mail may say what is to hold from now on. */
  readonly rules: boolean;
  /** A call waits for a yes of the owner who wrote the mail. */
  readonly waiting: boolean;
}

const OF_A_MAIL = ['rows', 'numbers', 'invitation', 'meeting'] as const;
const isOfMail = (what: AtHand): what is (typeof OF_A_MAIL)[number] => OF_A_MAIL.some((one) => one === what);

/**
 * Whether a tool that needs this has it. What a mail or a file brings is not asked about: a tool that comes and goes with it
 * has the whole prompt read anew, at ten times the price of its own words, and says itself that there is nothing for it.
 */
export const has = (hand: Hand, what: AtHand, { readsFiles }: { readonly readsFiles: boolean }): boolean =>
  isOfMail(what) || (what === 'files' ? readsFiles : hand[what]);
