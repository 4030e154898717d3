import type { Json } from '#contract';
import type { Recorded } from '../../../engine/record/events.ts';
import { type Place, roleOf, type Wanted } from './place.ts';
import type { Left, Stage } from './stage.ts';

type Event = Pick<Recorded, 'type' | 'data'>;
type Run = { readonly id: string; readonly kind: string; readonly tier: string; readonly status: string };
type RunRow = Run & { readonly outcome: string | null; readonly code: string | null };

/** So much of a result is shown, in characters. */
const SHOWN = 4000;

/** What was going on before a mail came. */
export interface Before {
  readonly runs: number;
  readonly approvals: readonly string[];
}

const seqOf = (stage: Stage): number => Number(stage.ask<{ n: number }>('select max(seq) as n from runs')[0]?.n ?? 0);
const questionsOf = (stage: Stage): { id: string; tool: string; state: string; arguments_json: string }[] =>
  stage.ask('select id, tool, state, arguments_json from approvals order by created_at, id');

export const before = (stage: Stage): Before => ({
  runs: seqOf(stage),
  approvals: questionsOf(stage).map(({ id }) => id),
});

/** All that there is to know of what became of one mail. */
export async function recordOf(
  place: Place,
  mail: Wanted,
  { stage, since, messageId, left, requests }: Happened,
): Promise<MailRecord> {
  const runs = stage.ask<RunRow>(
    'select id, kind, tier, status, outcome, code from runs where seq > ? order by seq',
    String(since.runs),
  );
  const events: Event[] = [];
  for (const { id } of runs) events.push(...(await stage.cli('runs', 'show', id)).run.events);
  const ends = of(events, 'model_call_ended');
  const answers = ends.flatMap(({ response }) => (response ? [response] : []));
  const calls = answers.flatMap(({ toolCalls }) => toolCalls).map((call) => callOf(call, events));
  const said = [...answers.map(({ text }) => text), ...calls.flatMap(({ arguments: given }) => textsIn(given))];
  const { id, from, to, cc, subject, text, files, thread, kind, wants, answer_must_say, effects } = mail;
  const usage = answers.map((one) => one.usage);
  const started = of(events, 'model_call_started').length;
  return {
    place: place.place,
    mail: { id, from, role: roleOf(place, from), to, cc, thread, subject, text, files },
    kind,
    wants,
    answer_must_say,
    effects_wanted: effects,
    decision: runs.length > 0 ? null : (await stage.cli('why', messageId)).entries,
    runs,
    model_said: answers.map(({ text: words }) => words),
    mailed: left.map((one) => mailedOf(one, said)),
    calls,
    questions_to_owners: questionsOf(stage)
      .filter((one) => !since.approvals.includes(one.id))
      .map(({ tool, state, arguments_json }) => ({ tool, state, arguments: JSON.parse(arguments_json) })),
    model_calls: started,
    requests,
    requests_beside_the_run: requests.to - requests.from + 1 - started,
    send_backs: of(events, 'decision').flatMap(({ gap, about }) =>
      gap === undefined ? [] : [{ about: about ?? [], told: gap }],
    ),
    receipt: of(events, 'receipt').flatMap(({ lines }) => lines),
    tokens: {
      input: sum(usage.map(({ input }) => input)),
      uncached: sum(usage.map(({ input, cached }) => input - cached)),
      output: sum(usage.map(({ output }) => output)),
    },
  };
}

interface Happened {
  readonly stage: Stage;
  readonly since: Before;
  readonly messageId: string;
  readonly left: readonly Left[];
  readonly requests: Requests;
}

/** Numbers of what the model was asked meanwhile, whatever for; `to` is the smaller where it was asked nothing. */
interface Requests {
  readonly from: number;
  readonly to: number;
}

export interface MailRecord {
  readonly place: string;
  readonly mail: Pick<Wanted, 'id' | 'from' | 'to' | 'cc' | 'thread' | 'subject' | 'text' | 'files'> & {
    readonly role: string;
  };
  readonly kind: string;
  readonly wants: string;
  readonly answer_must_say: readonly string[];
  readonly effects_wanted: Wanted['effects'];
  /** Why there was no run. */
  readonly decision: unknown;
  readonly runs: readonly RunRow[];
  readonly model_said: readonly string[];
  readonly mailed: readonly Mailed[];
  readonly calls: readonly Call[];
  readonly questions_to_owners: readonly { tool: string; state: string; arguments: Json }[];
  readonly model_calls: number;
  readonly requests: Requests;
  readonly requests_beside_the_run: number;
  readonly send_backs: readonly { about: readonly string[]; told: string }[];
  readonly receipt: readonly unknown[];
  readonly tokens: { readonly input: number; readonly uncached: number; readonly output: number };
}

const of = <Type extends Recorded['type']>(events: readonly Event[], type: Type) =>
  events.flatMap((event) => (event.type === type ? [event.data as Extract<Recorded, { type: Type }>['data']] : []));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

type Call = ReturnType<typeof callOf>;

function callOf(
  { id, name, arguments: given }: { id: string; name: string; arguments: Json | undefined },
  events: readonly Event[],
) {
  const mine = <One extends { call_id: string }>(all: readonly One[]): One | undefined =>
    all.findLast(({ call_id }) => call_id === id);
  const permission = mine(of(events, 'permission'));
  const observed = mine(of(events, 'observation'));
  const isAsked = of(events, 'approval_requested').some(({ items }) => items.some((item) => item.call_id === id));
  const waits = mine(of(events, 'call_waits')) !== undefined || (isAsked && observed === undefined);
  const state = waits ? 'waits' : observed === undefined ? 'not made' : observed.ok ? 'ok' : 'failed';
  return {
    name,
    arguments: given ?? null,
    state,
    code: observed?.code ?? permission?.code ?? null,
    verdict: permission?.verdict ?? null,
    by: permission?.by ?? null,
    result: observed?.content.slice(0, SHOWN) ?? null,
  };
}

/** Every text in the arguments of a call. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

type Mailed = ReturnType<typeof mailedOf>;

function mailedOf({ mail, envelopeTo }: Left, said: readonly string[]) {
  const text = (mail.text ?? '').trimEnd();
  const saidLines = new Set(said.flatMap(linesOf));
  return {
    kind: mail.headers.get('x-epistle-kind') ?? null,
    to: envelopeTo,
    subject: mail.subject ?? '',
    text,
    attachments: mail.attachments.map(({ filename = 'unnamed', size }) => `${filename} (${size} bytes)`),
    /** Lines that the model has not written, but for what is quoted. */
    lines_of_the_gateway: linesOf(text).filter((line) => !saidLines.has(line) && !line.startsWith('>')),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
