import type { z } from 'zod';
import type { Capabilities, CapabilityName } from './capabilities.ts';
import type { Json, JsonSchema } from './json.ts';
import type { Log } from './log.ts';
import type { Preview } from './preview.ts';
import type { Continuation, Freshness, Provenance } from './result-facts.ts';

export type Risk = 'read' | 'create' | 'write' | 'destructive';

export type Scope =
  `${'mail' | 'files' | 'web' | 'memory' | 'schedule' | 'shell'}:${'read' | 'create' | 'write' | 'delete'}`;

/** What one call with these arguments would touch. */
export interface Effects {
  /** May raise the tool's declared risk for these arguments, never lower it. */
  readonly risk?: Risk;
  /** Files, addresses or hosts that the call touches, as a person would name them. */
  readonly targets?: readonly string[];
  /** Addresses that mail would go to; owners never need to be asked about mail to themselves. */
  readonly recipients?: readonly string[];
  /**
   * What else the call picks by a name that somebody may have to say: files that go along, the thread that it goes on in. Of a
   * tool that does not say, an owner's own words are never the yes to a mail.
   */
  readonly names?: readonly string[];
  /** It stays with whoever asks for it: nobody else hears of it, and nothing outside changes. */
  readonly stays?: true;
  /** The only addresses at which anybody hears of what stays; without it, those of all owners. */
  readonly hears?: readonly string[];
  /** It would let later calls go without a question: an owner is asked about it, whatever the settings say. */
  readonly widens?: true;
  /** It may be made before any other call of its turn: it does not wait for one that an owner is asked about. */
  readonly apart?: true;
  /** Of a tool that `asks`: nothing is put before the owners by this call, which is made as any other is. */
  readonly asks?: false;
}

/** What is said of one call below the answer: what it did, or was to do, and to what. */
export interface ReceiptEntry {
  /** The kind of effect; its words are the engine's, in the reader's language. `other` is named by the tool. */
  readonly act:
    | 'mail'
    | 'attached'
    | 'saved'
    | 'changed'
    | 'deleted'
    | 'scheduled'
    | 'paused'
    | 'resumed'
    | 'remembered'
    | 'forgotten'
    | 'ruled'
    | 'unruled'
    | 'revised'
    | 'withdrawn'
    | 'accepted'
    | 'declined'
    | 'tentative'
    | 'other';
  /** As a person would name them: the recipients of a mail, files, the name of a task. */
  readonly targets: readonly string[];
  /** Such as a subject. */
  readonly title?: string;
  /** A schedule as `schedule_task` takes it, the next time as ISO 8601, or both with `; ` between them; said in words. */
  readonly when?: string;
}

/**
 * What a tool puts before the owners in place of doing it, and what comes back as its result: `answer`, their words;
 * `plan`, what became of the calls in `steps: [{tool, arguments}]`.
 */
export type Asks = 'answer' | 'plan';

/** What a run can have to work on. */
export const AT_HAND = [
  'rows',
  'numbers',
  'files',
  'knowledge',
  'invitation',
  'calendars',
  'memory',
  'meeting',
  'delegation',
  'learning',
  'rules',
  'waiting',
] as const;
export type AtHand = (typeof AT_HAND)[number];

/** The longest that a call may wait for what it began elsewhere. */
export const MAX_PENDING_S = 3600;

/** What `run` gives back where its result comes later: `check` is asked for it from then on. Times in seconds. */
export interface Pending {
  readonly pending: {
    /** By which `check` finds again what was begun. */
    readonly id: string;
    readonly check_after_s: number;
    /** At most `MAX_PENDING_S`; after it the call has failed with `tool_timeout`. */
    readonly timeout_s: number;
  };
}

interface CallContext<Config> {
  readonly persona: { readonly id: string; readonly name: string; readonly address: string; readonly timezone: string };
  readonly threadId: string;
  readonly runId: string;
  /** The manifest's `config`, merged with extensions.json and validated by the definition's `config`. */
  readonly config: Config;
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** What one call works with: who calls, the settled config, and the capabilities that the tool `uses`. */
export type ToolContext<Config = Json, Uses extends CapabilityName = CapabilityName> = CallContext<Config> &
  Pick<Capabilities, Uses>;

type ValueOf<Schema> = Schema extends z.ZodType<infer Parsed> ? Parsed : Json;

export interface ToolDefinition<
  Input extends z.ZodType | JsonSchema = z.ZodType | JsonSchema,
  Output extends z.ZodType | JsonSchema = z.ZodType | JsonSchema,
  Config = Json,
  Uses extends CapabilityName = CapabilityName,
> {
  readonly description: string;
  /** The least risk of any call; `effects` may raise it by the arguments. */
  readonly risk: Risk;
  readonly scope: Scope;
  readonly input: Input;
  readonly output?: Output;
  /** Checks the manifest's `config` as extensions.json changed it, and types `context.config`. */
  readonly config?: z.ZodType<Config>;
  /**
   * The capabilities that it works with: the same names as the manifest's `capabilities`, or the tool is refused. Only
   * these stand on the context. Absent: all of the manifest's are there, and the compiler believes in every one.
   */
  readonly uses?: readonly Uses[];
  /** Whether a repeat after a crash is harmless; default: `none` for read tools, else `unknown`. */
  readonly effect?: 'none' | 'idempotent' | 'keyed' | 'unknown';
  effects?(args: ValueOf<Input>, context: ToolContext<Config, Uses>): Promise<Effects>;
  /**
   * What the call would do beyond its arguments, made when an owner has to be asked and compared when it is done; null
   * where the arguments say all. What it throws, the
   * model is told instead of the owner being asked: a call that cannot be done needs no approval.
   */
  preview?(args: ValueOf<Input>, context: ToolContext<Config, Uses>): Promise<Preview | null>;
  /**
   * Shown only to a run that has this at hand: `files`, files that it may read; `knowledge`, more of it than the prompt
   * holds; `calendars`, calendars of the owner; `memory`, facts that are kept; `delegation`, child runs that it may begin;
   * `learning`, an owner to a persona that learns; `rules`, somebody who may say what is to hold from now on; `waiting`, calls that wait for a yes of the owner who writes. What a mail
   * brings is no reason: `rows`, `numbers`, `invitation` and `meeting` hold always.
   */
  readonly onlyWith?: AtHand;
  /**
   * Its result tells an answer nothing but that it was done, so that the answer need not wait where an owner is asked about the
   * call: it leaves at once, and a second mail says what came of it.
   */
  readonly later?: true;
  /** The call is never run: it is put before the owners, unless its `effects` say otherwise. */
  readonly asks?: Asks;
  /**
   * How a receipt names such a call, by its final arguments and, once it was done, its result; pure. Where it is
   * absent, and where it returns null, the tool's name and the targets of `effects` have to do.
   */
  receipt?(args: ValueOf<Input>, result: Json): ReceiptEntry | null;
  /**
   * Where a result comes from; null where it does not say. Pure, like the two below, and never trusted with more than
   * the result itself: a long text in it may have been cut by then. A tool that declares none of the three is read by
   * the names of its fields (docs/extensions.md).
   */
  provenance?(result: ValueOf<Output>): Provenance | null;
  /** Of when its data are and how long they hold; null: they are as old as the call, and hold for a day. */
  freshness?(result: ValueOf<Output>): Freshness | null;
  /** Whether there is more of the source than this result; null: it is all of it. */
  next?(result: ValueOf<Output>): Continuation | null;
  /**
   * Takes a call back that succeeded, by its arguments and its result. For seven days its owners can ask for it. Throws
   * when it cannot be taken back; what was made since must stay as it is. A second time it changes nothing.
   */
  undo?(args: ValueOf<Input>, result: Json, context: ToolContext<Config, Uses>): Promise<Json> | Json;
  /**
   * The result of what `run` has begun elsewhere (it gave back `Pending`), or `Pending` again while there is none. Reads
   * only: it is asked again after a crash, and after whatever it throws but `not_found`, until the time is over. The
   * call waits meanwhile without holding anything up; among the steps of a plan nothing waits, and `Pending` is the result.
   */
  check?(id: string, context: ToolContext<Config, Uses>): Promise<Json> | Json;
  /** Why the tool cannot work here (missing key, bad config); null when it can. */
  ready?(context: Pick<CallContext<Config>, 'config' | 'secrets'>): string | null;
  /** Returns JSON. Whatever it throws becomes a `tool_failed` result, never a crash. */
  run(args: ValueOf<Input>, context: ToolContext<Config, Uses>): Promise<Json> | Json;
}

/**
 * A tool, as an extension's entry exports it by default.
 *
 * @example
 * export default defineTool({
 *   description: 'How many people a page of our wiki names.',
 *   risk: 'read',
 *   scope: 'web:read',
 *   uses: ['web'],
 *   config: z.strictObject({ host: z.string().default('wiki.example.com') }),
 *   input: z.object({ page: z.string() }),
 *   output: z.object({ url: z.string(), people: z.number() }),
 *   provenance: ({ url }) => ({ url }),
 *   async run({ page }, { web, config, signal }) {
 *     const url = `https://${config.host}/${encodeURIComponent(page)}`;
 *     const { body } = await web.fetch({ url, allowHosts: [config.host], maxBytes: 1_000_000, signal });
 *     return { url, people: new TextDecoder().decode(body).split('@').length - 1 };
 *   },
 * });
 */
export const defineTool = <
  Input extends z.ZodType | JsonSchema,
  Output extends z.ZodType | JsonSchema = z.ZodType | JsonSchema,
  Config = Json,
  const Uses extends CapabilityName = CapabilityName,
>(
  definition: ToolDefinition<Input, Output, Config, Uses>,
): ToolDefinition<Input, Output, Config, Uses> => definition;
